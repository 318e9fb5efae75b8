import { ChevronRight, Info } from 'lucide-react';
import { useState } from 'react';
import { duration } from '../../i18n/formats.ts';
import { useText } from '../../i18n/text.ts';
import { Markdown } from '../../markdown/markdown.tsx';
import { Words } from '../../markdown/words.tsx';
import { cx } from '../../ui/cx.ts';
import { lazyPart } from '../../ui/lazy-part.tsx';
import { CallGroup, groupCalls } from './call-group.tsx';
import { DiffView } from './diff-view.tsx';
import type { ShownPart } from './shown-parts.ts';
import { ToolRow } from './tool-row.tsx';

const TerminalOutput = lazyPart(async () => (await import('./terminal-output.tsx')).TerminalOutput, {
  loading: PlainOutput,
});

/** A message, part by part; each tool call with what came back, finished calls that follow each other together. */
export function MessageParts({ parts, isOutput = false }: { parts: readonly ShownPart[]; isOutput?: boolean }) {
  return groupCalls(parts, canFold).map((part) =>
    Array.isArray(part) ? (
      <CallGroup key={`group ${part[0]!.key}`} names={part.map(({ call }) => call.name)}>
        {part.map(({ call }) => (
          <ToolRow key={call.id} call={call} />
        ))}
      </CallGroup>
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
    case 'notice':
      return (
        <p className="flex items-start gap-2 my-1 text-sm text-fg-3">
          <Info aria-hidden className="mt-0.5 size-4 shrink-0" />
          <span dir="auto">{part.text}</span>
        </p>
      );
    case 'diff':
      return <DiffView diff={part.diff} />;
    case 'call':
      return <ToolRow call={part.call} />;
    default:
      return part satisfies never;
  }
}

type CallPart = Extract<ShownPart, { kind: 'call' }>;

/** What failed, waits or runs stays in sight, and so does what the person answered or an agent was given to do. */
function canFold(part: ShownPart): part is CallPart {
  if (part.kind !== 'call') return false;
  const { state, name, answers } = part.call;
  return state === 'complete' && answers.length === 0 && name !== 'agents_message';
}

function PlainOutput({ text }: { text: string }) {
  return <pre className="font-mono text-xs">{text}</pre>;
}

interface Props {
  text: string;
  isLive: boolean;
  durationMs: number | null;
}

/** Reasoning, folded because it is not the answer. Not drawn until it is opened. */
export function Reasoning({ text: thoughts, isLive, durationMs }: Props) {
  const text = useText();
  const [open, setOpen] = useState(false);
  return (
    <div className="my-1 text-xs text-fg-3">
      <button
        type="button"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
        className="flex min-h-6 items-center gap-1 touch:min-h-11 rounded-sm hover:text-fg-2"
      >
        <ChevronRight size={13} className={cx('transition-transform', open && 'rotate-90')} />
        {text(isLive ? 'conversation.thinking' : 'conversation.thought')}
        {durationMs !== null && durationMs >= SHORTEST_MS && ` · ${duration(durationMs)}`}
      </button>
      {open && (
        <p
          dir="auto"
          className="mt-1 border-s-2 border-line ps-3 whitespace-pre-wrap text-fg-2 [overflow-wrap:anywhere]"
        >
          <Words text={thoughts} />
        </p>
      )}
    </div>
  );
}

const SHORTEST_MS = 100;
