import { ChevronRight } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import type { ToolCallState } from '../../../contract/tools.ts';
import { duration } from '../../i18n/formats.ts';
import { useText } from '../../i18n/text.ts';
import { cx } from '../../ui/cx.ts';
import { CALL_DOTS, StatusDot } from '../../ui/status-dot.tsx';

/** So many calls are shown one by one. */
const MOST_LOOSE = 2;

/**
 * The rows of finished calls that follow each other, as one line that opens. What the person had opened before stays
 * open. `names`: of the tools, one for each call.
 */
export function CallGroup({ names, children }: { names: readonly string[]; children: ReactNode }) {
  const text = useText();
  const [open, setOpen] = useState(false);
  const isGroup = names.length > MOST_LOOSE;
  const isShown = open || !isGroup;
  return (
    <>
      {isGroup && (
        <button
          type="button"
          aria-expanded={open}
          onClick={() => setOpen(!open)}
          className="my-1 flex min-h-8 w-full touch:min-h-11 items-center gap-2 rounded-md px-2.5 text-left text-xs text-fg-2 hover:bg-hover"
        >
          <StatusDot status="completed" label={text('tool.complete')} />
          <span>{text('tool.used', { count: names.length })}</span>
          <span className="min-w-0 flex-1 truncate font-mono text-fg-3">{[...new Set(names)].join(', ')}</span>
          <ChevronRight size={13} className={cx('flex-none transition-transform print:hidden', open && 'rotate-90')} />
        </button>
      )}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: only notes that one of the buttons in it was used */}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: a key on a button is a click */}
      <div className={cx(!isShown && 'hidden print:block')} onClick={() => setOpen(true)}>
        {children}
      </div>
    </>
  );
}

/** Parts in their order; those next to each other that fold are together in an array. */
export function groupCalls<Part, Call extends Part>(
  parts: readonly Part[],
  canFold: (part: Part) => part is Call,
): (Part | Call[])[] {
  const shown: (Part | Call[])[] = [];
  for (const part of parts) {
    const last = shown.at(-1);
    if (!canFold(part)) shown.push(part);
    else if (Array.isArray(last)) last.push(part);
    else shown.push([part]);
  }
  return shown;
}

interface Props {
  call: { readonly name: string; readonly state: ToolCallState; readonly durationMs?: number | null | undefined };
  /** What it works on, on the same line. */
  summary: string;
  /** What it was given and gave back; absent where that is not shown. */
  children?: ReactNode;
  /** Always there, under the rest. */
  below?: ReactNode;
}

/** A tool call as one line that opens. What went wrong is open by itself. */
export function CallReceipt({ call, summary, children, below }: Props) {
  const [chosen, setChosen] = useState<boolean | null>(null);
  const open = chosen ?? CALL_DOTS[call.state] === 'error';
  const line = <Line call={call} summary={summary} />;
  return (
    <div className="my-1.5 rounded-md border border-line bg-surface text-xs">
      {children ? (
        <button
          type="button"
          aria-expanded={open}
          onClick={() => setChosen(!open)}
          className={cx(LINE, 'touch:min-h-11')}
        >
          {line}
          <ChevronRight size={13} className={cx('flex-none transition-transform print:hidden', open && 'rotate-90')} />
        </button>
      ) : (
        <div className={LINE}>{line}</div>
      )}
      {open && children && <div className="space-y-2 border-t border-line p-2.5">{children}</div>}
      {below}
    </div>
  );
}

const LINE = 'flex min-h-8 w-full items-center gap-2 px-2.5 text-left text-fg-2';

function Line({ call: { name, state, durationMs = null }, summary }: Pick<Props, 'call' | 'summary'>) {
  const text = useText();
  return (
    <>
      <StatusDot status={CALL_DOTS[state]} label={text(`tool.${state}`)} />
      <code className="min-w-0 truncate font-mono text-fg">{name}</code>
      <span className="min-w-0 flex-1 truncate font-mono text-fg-3">{summary}</span>
      {durationMs !== null && <span className="flex-none text-fg-3">{duration(durationMs)}</span>}
    </>
  );
}
