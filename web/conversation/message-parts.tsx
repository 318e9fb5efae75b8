import { Markdown } from '../markdown/markdown.tsx';
import { Reasoning } from './reasoning.tsx';
import type { ShownPart } from './shown-parts.ts';
import { ToolRow } from './tool-row.tsx';

/** A message, part by part; each tool call with what came back. */
export function MessageParts({ parts }: { parts: readonly ShownPart[] }) {
  return parts.map((part) => <PartView key={part.key} part={part} />);
}

function PartView({ part }: { part: ShownPart }) {
  switch (part.kind) {
    case 'text':
      return <Markdown text={part.text} />;
    case 'reasoning':
      return <Reasoning text={part.text} isLive={part.isLive} />;
    case 'call':
      return <ToolRow call={part.call} />;
    default:
      return part satisfies never;
  }
}
