import type { Part } from '../../contract/messages.ts';
import { Markdown } from '../markdown/markdown.tsx';
import { AttachedFiles } from './attached-files.tsx';
import { Reasoning } from './reasoning.tsx';
import { StoredToolRow } from './tool-row.tsx';

type Result = Extract<Part, { type: 'tool_result' }>;

/** A stored message, part by part; each tool call with what came back, and what was attached at the end. */
export function MessageParts({ parts }: { parts: readonly Part[] }) {
  const results = new Map(parts.flatMap((part) => (part.type === 'tool_result' ? [[part.callId, part] as const] : [])));
  return (
    <>
      {parts.map((part, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a stored message do not move
        <PartView key={index} part={part} results={results} />
      ))}
      <AttachedFiles parts={parts} align="start" />
    </>
  );
}

function PartView({ part, results }: { part: Part; results: ReadonlyMap<string, Result> }) {
  switch (part.type) {
    case 'text':
      return <Markdown text={part.text} />;
    case 'reasoning':
      return <Reasoning text={part.text} isLive={false} />;
    case 'tool_call':
      return <StoredToolRow part={part} result={results.get(part.callId)} />;
    case 'tool_result':
    case 'delegation':
    case 'file':
      return null;
    default:
      return part satisfies never;
  }
}
