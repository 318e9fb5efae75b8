import { useEffect, useRef, useState } from 'react';
import { type SessionState, shownMessages } from '../../client/session-state.ts';
import { useText } from '../i18n/text.ts';

const LONGEST = 600;

/** Tells those who listen what has been said, once it is whole, and what is wanted of them. Never tokens. */
export function Announcer({ state }: { state: SessionState }) {
  const text = useText();
  const [words, setWords] = useState('');
  const last = shownMessages(state).at(-1);
  const heard = useRef(last?.id);
  const asked = [...state.actions.values()].at(-1);
  useEffect(() => {
    if (!last || heard.current === last.id) return;
    heard.current = last.id;
    if (last.role === 'assistant')
      setWords(`${text('announce.replied', { name: last.agent ?? '' })} ${last.text.slice(0, LONGEST)}`);
  }, [last, text]);
  useEffect(() => {
    if (asked) setWords(asked.title);
  }, [asked]);
  return (
    <p aria-live="polite" className="sr-only">
      {words}
    </p>
  );
}
