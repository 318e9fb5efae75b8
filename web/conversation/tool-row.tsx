import { ChevronRight } from 'lucide-react';
import { useState } from 'react';
import { ActionOfCall } from '../actions/action-of-call.tsx';
import { useText } from '../i18n/text.ts';
import { revealHidden } from '../markdown/safe-url.ts';
import { cx } from '../ui/cx.ts';
import { CALL_DOTS, StatusDot } from '../ui/status-dot.tsx';
import { OpenedSession } from './opened-session.tsx';
import type { ShownCall } from './shown-parts.ts';
import { prettyInput, shortInput } from './tool-input.ts';
import { WholeOutput } from './whole-output.tsx';

/** One line that opens. What went wrong is open by itself. A call that is under way asks here when it has to. */
export function ToolRow({ call }: { call: ShownCall }) {
  const text = useText();
  const { id, name, input, state, durationMs, progress, actionId } = call;
  const [chosen, setChosen] = useState<boolean | null>(null);
  const open = chosen ?? CALL_DOTS[state] === 'error';
  return (
    <>
      <div className="my-1.5 rounded-md border border-line bg-surface text-xs">
        <button
          type="button"
          aria-expanded={open}
          onClick={() => setChosen(!open)}
          className="flex min-h-8 w-full items-center gap-2 px-2.5 text-left text-fg-2"
        >
          <StatusDot status={CALL_DOTS[state]} label={text(`tool.${state}`)} />
          <code className="font-mono text-fg">{name}</code>
          <span className="min-w-0 flex-1 truncate font-mono text-fg-3">{progress ?? shortInput(input)}</span>
          {durationMs !== null && <span className="text-fg-3">{text('tool.ms', { ms: durationMs })}</span>}
          <ChevronRight size={13} className={cx('flex-none transition-transform', open && 'rotate-90')} />
        </button>
        {open && (
          <div className="space-y-2 border-t border-line p-2.5">
            <pre className="overflow-x-auto font-mono whitespace-pre-wrap text-fg-2">
              {revealHidden(prettyInput(input))}
            </pre>
            <Output call={call} />
          </div>
        )}
        <OpenedSession callId={id} />
      </div>
      {actionId !== null && <ActionOfCall actionId={actionId} />}
    </>
  );
}

function Output({ call: { id, output, isCut } }: { call: ShownCall }) {
  if (output === null) return null;
  return (
    <>
      <pre className="max-h-80 overflow-auto border-t border-line pt-2 font-mono whitespace-pre-wrap text-fg">
        {revealHidden(output)}
      </pre>
      {isCut && <WholeOutput callId={id} />}
    </>
  );
}
