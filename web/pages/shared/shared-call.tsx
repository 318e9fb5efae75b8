import { ChevronRight } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import type { SharedPart } from '../../../contract/shares.ts';
import { useText } from '../../i18n/text.ts';
import { duration } from '../../i18n/time.ts';
import { revealHidden } from '../../markdown/safe-url.ts';
import { cx } from '../../ui/cx.ts';
import { CALL_DOTS, StatusDot } from '../../ui/status-dot.tsx';
import { prettyInput, shortInput } from '../../ui/tool-input.ts';

type Call = Extract<SharedPart, { type: 'tool_call' }>;

/** That a tool was used. What it was given and gave back only where whoever shared it wanted that shown. */
export function SharedCall({ call }: { call: Call }) {
  const { input, output, isError = false } = call;
  if (input === undefined && output === undefined)
    return (
      <Receipt>
        <div className="flex min-h-8 items-center gap-2 px-2.5 text-fg-2">
          <Line call={call} />
        </div>
      </Receipt>
    );
  return (
    <Unfolding call={call} isError={isError}>
      {input !== undefined && <Words>{prettyInput(input)}</Words>}
      {output !== undefined && <Words>{output}</Words>}
    </Unfolding>
  );
}

function Unfolding({ call, isError, children }: { call: Call; isError: boolean; children: ReactNode }) {
  const [open, setOpen] = useState(isError);
  return (
    <Receipt>
      <button
        type="button"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
        className="flex min-h-8 w-full items-center gap-2 px-2.5 text-left text-fg-2"
      >
        <Line call={call} />
        <ChevronRight size={13} className={cx('flex-none transition-transform print:hidden', open && 'rotate-90')} />
      </button>
      {open && <div className="divide-y divide-line border-t border-line px-2.5">{children}</div>}
    </Receipt>
  );
}

function Receipt({ children }: { children: ReactNode }) {
  return <div className="my-1.5 rounded-md border border-line bg-surface text-xs">{children}</div>;
}

function Line({ call: { name, state, input, durationMs } }: { call: Call }) {
  const text = useText();
  return (
    <>
      <StatusDot status={CALL_DOTS[state]} label={text(`tool.${state}`)} />
      <code className="min-w-0 truncate font-mono text-fg">{name}</code>
      <span className="min-w-0 flex-1 truncate font-mono text-fg-3">{input !== undefined && shortInput(input)}</span>
      {durationMs !== undefined && <span className="flex-none text-fg-3">{duration(durationMs)}</span>}
    </>
  );
}

function Words({ children }: { children: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <pre tabIndex={0} className="max-h-80 overflow-auto py-2 font-mono whitespace-pre-wrap text-fg-2 print:max-h-none">
      {revealHidden(children)}
    </pre>
  );
}
