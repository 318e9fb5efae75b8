import { Markdown } from '../../markdown/markdown.tsx';
import { lazyPart } from '../../ui/lazy-part.tsx';
import { Reasoning } from './reasoning.tsx';
import type { ShownCall, ShownPart } from './shown-parts.ts';
import { ToolGroup } from './tool-group.tsx';
import { ToolRow } from './tool-row.tsx';

const TerminalOutput = lazyPart(async () => (await import('./terminal-output.tsx')).TerminalOutput, {
  loading: PlainOutput,
});

/** A message, part by part; each tool call with what came back, finished calls that follow each other together. */
export function MessageParts({ parts, isOutput = false }: { parts: readonly ShownPart[]; isOutput?: boolean }) {
  return grouped(parts).map((part) =>
    part.kind === 'group' ? (
      <ToolGroup key={part.key} calls={part.calls} />
    ) : (
      <PartView key={part.key} part={part} isOutput={isOutput} />
    ),
  );
}

/** `isOutput`: the words are what a command printed. */
function PartView({ part, isOutput }: { part: ShownPart; isOutput: boolean }) {
  switch (part.kind) {
    case 'text':
      if (!isOutput) return <Markdown text={part.text} isGrowing={part.isLive} />;
      return <TerminalOutput text={part.text} isGrowing={part.isLive} />;
    case 'reasoning':
      return <Reasoning text={part.text} isLive={part.isLive} durationMs={part.durationMs} />;
    case 'call':
      return <ToolRow call={part.call} />;
    default:
      return part satisfies never;
  }
}

interface CallGroup {
  readonly kind: 'group';
  readonly key: string;
  readonly calls: readonly ShownCall[];
}

function grouped(parts: readonly ShownPart[]): (ShownPart | CallGroup)[] {
  const shown: (ShownPart | CallGroup)[] = [];
  for (const part of parts) {
    const last = shown.at(-1);
    if (part.kind !== 'call' || !canFold(part.call)) shown.push(part);
    else if (last?.kind === 'group') shown[shown.length - 1] = { ...last, calls: [...last.calls, part.call] };
    else shown.push({ kind: 'group', key: `group ${part.key}`, calls: [part.call] });
  }
  return shown;
}

/** What failed, waits or runs stays in sight, and so does what the person answered or an agent was given to do. */
function canFold({ state, name, answers }: ShownCall): boolean {
  return state === 'complete' && answers.length === 0 && name !== 'agents_message';
}

function PlainOutput({ text }: { text: string }) {
  return <pre className="font-mono text-xs">{text}</pre>;
}
