import { ChevronRight } from 'lucide-react';
import { useState } from 'react';
import type { CallPart } from '../../client/live-turn.ts';
import type { Part } from '../../contract/messages.ts';
import type { ToolCall, ToolCallState } from '../../contract/tools.ts';
import { ActionOfCall } from '../actions/action-of-call.tsx';
import { useText } from '../i18n/text.ts';
import { revealHidden } from '../markdown/safe-url.ts';
import { cx } from '../ui/cx.ts';
import { CALL_DOTS, StatusDot } from '../ui/status-dot.tsx';
import { OpenedSession } from './opened-session.tsx';
import { prettyInput, shortInput } from './tool-input.ts';
import { WholeOutput } from './whole-output.tsx';

type StoredCall = Extract<Part, { type: 'tool_call' }>;
type StoredResult = Extract<Part, { type: 'tool_result' }>;

export function StoredToolRow({ part, result }: { part: StoredCall; result: StoredResult | undefined }) {
  const { callId, name, input, state, reason, durationMs } = part;
  return (
    <Receipt callId={callId} name={name} input={input} state={state} durationMs={durationMs ?? null}>
      <Output callId={callId} output={result?.output ?? reason ?? null} cut={result?.cutBytes !== undefined} />
    </Receipt>
  );
}

/** A call that is under way: it asks here when it has to. */
export function ToolRow({ call, progress }: { call: ToolCall; progress: CallPart['progress'] }) {
  const { id, name, input, state, output, outputBytes, startedAt, endedAt } = call;
  const durationMs = startedAt && endedAt ? Date.parse(endedAt) - Date.parse(startedAt) : null;
  return (
    <>
      <Receipt
        callId={id}
        name={name}
        input={input}
        state={state}
        durationMs={durationMs}
        progress={progress?.text ?? null}
      >
        <Output callId={id} output={output} cut={outputBytes > (output?.length ?? 0)} />
      </Receipt>
      {state === 'waiting' && call.actionId && <ActionOfCall actionId={call.actionId} />}
    </>
  );
}

interface ReceiptProps {
  callId: string;
  name: string;
  input: string;
  state: ToolCallState;
  durationMs: number | null;
  progress?: string | null;
  children: React.ReactNode;
}

/** One line that opens. What went wrong is open by itself. */
function Receipt({ callId, name, input, state, durationMs, progress = null, children }: ReceiptProps) {
  const text = useText();
  const [open, setOpen] = useState(CALL_DOTS[state] === 'error');
  return (
    <div className="my-1.5 rounded-md border border-line bg-surface text-xs">
      <button
        type="button"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
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
          {children}
        </div>
      )}
      <OpenedSession callId={callId} />
    </div>
  );
}

function Output({ callId, output, cut }: { callId: string; output: string | null; cut: boolean }) {
  if (output === null) return null;
  return (
    <>
      <pre className="max-h-80 overflow-auto border-t border-line pt-2 font-mono whitespace-pre-wrap text-fg">
        {revealHidden(output)}
      </pre>
      {cut && <WholeOutput callId={callId} />}
    </>
  );
}
