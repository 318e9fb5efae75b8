import { ChevronRight } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import type { ToolCallState } from '../../../contract/tools.ts';
import { useText } from '../../i18n/text.ts';
import { duration } from '../../i18n/time.ts';
import { cx } from '../../ui/cx.ts';
import { CALL_DOTS, StatusDot } from '../../ui/status-dot.tsx';

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
