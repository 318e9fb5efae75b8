import { CircleAlert, CircleCheck, CircleX, PlugZap } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import type { ConnectionCheck, ConnectionTest, TestConnection } from '../../../contract/agents.ts';
import { useText } from '../../i18n/agent-words.ts';
import type { AgentTextKey } from '../../i18n/en.ts';
import { duration } from '../../i18n/formats.ts';
import { serverText } from '../../i18n/text.ts';
import { useLiveConnection } from '../../live/use-live.ts';
import { Button } from '../../ui/button.tsx';

export type TestState =
  | { readonly phase: 'idle' }
  | { readonly phase: 'running'; readonly since: number }
  | { readonly phase: 'done'; readonly result: ConnectionTest }
  | { readonly phase: 'failed'; readonly message: string };

const IDLE: TestState = { phase: 'idle' };

/** Looks at what an agent needs to answer. `of`: what the result is about; a result about something else is not shown. */
export function useConnectionTest(of: string) {
  const { client } = useLiveConnection();
  const [told, setTold] = useState<{ of: string; state: TestState }>({ of, state: IDLE });
  const running = useRef<AbortController | null>(null);
  const stop = () => running.current?.abort();
  useEffect(() => () => running.current?.abort(), []);
  const begin = (body: TestConnection) => {
    stop();
    const control = new AbortController();
    running.current = control;
    const tell = (state: TestState) => control.signal.aborted || setTold({ of, state });
    tell({ phase: 'running', since: Date.now() });
    client.call('testConnection', { body, signal: control.signal }).then(
      (result) => tell({ phase: 'done', result }),
      (error: Error) => tell({ phase: 'failed', message: error.message }),
    );
  };
  const cancel = () => {
    stop();
    setTold({ of, state: IDLE });
  };
  return { state: told.of === of ? told.state : IDLE, begin, cancel };
}

interface ButtonProps {
  state: TestState;
  disabled: boolean;
  onBegin(): void;
  onCancel(): void;
}

/** Begins a test, and stops one that takes too long. */
export function TestButton({ state, disabled, onBegin, onCancel }: ButtonProps) {
  const text = useText();
  if (state.phase === 'running') return <Button onClick={onCancel}>{text('agents.connectionCancel')}</Button>;
  return (
    <Button disabled={disabled} onClick={onBegin}>
      <PlugZap size={14} aria-hidden="true" />
      {text('agents.connection')}
    </Button>
  );
}

/** How far the test is and what it found, with what to do about it. */
export function TestResult({ state }: { state: TestState }) {
  return (
    <div role="status" className="empty:hidden">
      <Found state={state} />
    </div>
  );
}

function Found({ state }: { state: TestState }) {
  const text = useText();
  switch (state.phase) {
    case 'idle':
      return null;
    case 'running':
      return <Running since={state.since} />;
    case 'failed':
      return <Check check={{ state: 'problem', message: state.message }} />;
    case 'done':
      return (
        <>
          <p className="mb-0.5 font-medium">{text(headline(state.result))}</p>
          <ul>
            {state.result.checks.map((check) => (
              <li key={check.message}>
                <Check check={check} />
              </li>
            ))}
          </ul>
        </>
      );
    default:
      return state satisfies never;
  }
}

function headline({ works, checks }: ConnectionTest): AgentTextKey {
  if (!works) return 'agents.connectionBroken';
  return checks.some(({ state }) => state === 'warning') ? 'agents.connectionUnsure' : 'agents.connectionWorks';
}

/** A test of a program takes as long as the program takes to start. */
function Running({ since }: { since: number }) {
  const text = useText();
  const [now, setNow] = useState(since);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  return (
    <p className="text-fg-2">
      {text('agents.connectionRunning')}
      {now - since >= 2000 && <span aria-hidden="true"> {duration(Math.floor((now - since) / 1000) * 1000)}</span>}
    </p>
  );
}

const LOOKS = {
  ok: { Icon: CircleCheck, className: 'text-[var(--st-completed)]', label: 'agents.connectionOk' },
  warning: { Icon: CircleAlert, className: 'text-[var(--st-waiting)]', label: 'agents.connectionWarning' },
  problem: { Icon: CircleX, className: 'text-danger', label: 'agents.connectionProblem' },
} as const;

function Check({
  check: { state, message, text: reference },
}: {
  check: Omit<ConnectionCheck, 'text'> & Partial<ConnectionCheck>;
}) {
  const text = useText();
  const { Icon, className, label } = LOOKS[state];
  return (
    <p className="flex items-start gap-2 break-words">
      <Icon size={14} aria-label={text(label)} className={`mt-0.75 flex-none ${className}`} />
      <span className="min-w-0">{serverText(message, reference)}</span>
    </p>
  );
}
