import { useEffect, useRef, useState } from 'react';
import type { SessionState } from '../../../client/session-state.ts';
import type { Action } from '../../../contract/actions.ts';
import { useText } from '../../i18n/text.ts';
import { useAgentName } from '../../live/use-agents.ts';
import { useActionTitle } from '../../state/action-title.ts';

const LONGEST = 600;

/** Tells those who listen what has been said, once it is whole, and what is wanted of them. Never tokens. */
export function Announcer({ state }: { state: SessionState }) {
  const asked = [...state.actions.values()].at(-1);
  return (
    <>
      <p aria-live="polite" className="sr-only">
        {useReply(state)}
      </p>
      <p aria-live="polite" className="sr-only">
        {asked && <Asked action={asked} />}
      </p>
    </>
  );
}

/** Only what comes while one looks on: what was said behind another conversation is read, not told. */
function useReply({ messages, headId }: SessionState): string {
  const text = useText();
  const [words, setWords] = useState('');
  const last = messages.get(headId ?? '');
  const name = useAgentName(last?.agent ?? null);
  const heard = useRef<string | null | undefined>(undefined);
  useEffect(() => {
    const before = heard.current;
    heard.current = last?.id ?? null;
    if (before === undefined || before === heard.current || last?.role !== 'assistant') return;
    setWords(`${text('announce.replied', { name })} ${last.text.slice(0, LONGEST)}`);
  }, [last, name, text]);
  useEffect(
    () => () => {
      heard.current = undefined;
      setWords('');
    },
    [],
  );
  return words;
}

function Asked({ action }: { action: Action }) {
  return useActionTitle(action);
}
