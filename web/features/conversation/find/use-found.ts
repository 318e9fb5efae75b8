import { useEffect, useState } from 'react';
import type { SessionState } from '../../../../client/session-state.ts';
import { useLiveConnection } from '../../../live/use-live.ts';
import { type Found, NOTHING } from './hits.ts';
import { searchSession } from './search-session.ts';

const PAUSE_MS = 150;

interface Answer {
  /** What was asked; empty when nothing was. */
  readonly asked: string;
  readonly found: Found;
  /** Why the server could not look; then only what is loaded is looked through. */
  readonly problem: string | null;
}

const NOTHING_ASKED: Answer = { asked: '', found: NOTHING, problem: null };

/** What the server finds in a session, a moment after the last letter. */
export function useFound({ sessionId, messages, headId }: SessionState, words: readonly string[]): Answer {
  const { client } = useLiveConnection();
  const [answer, setAnswer] = useState(NOTHING_ASKED);
  const upto = messages.get(headId ?? '')?.seq ?? 0;
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is said later is looked through here
  useEffect(() => {
    const asked = words.join(' ');
    if (asked === '') return setAnswer(NOTHING_ASKED);
    const stop = new AbortController();
    const timer = setTimeout(async () => {
      const next = await searchSession(client, sessionId, words, upto, stop.signal).then(
        (found): Answer => ({ asked, found, problem: null }),
        (error: Error): Answer => ({ asked, found: { ...NOTHING, upto: 0 }, problem: error.message }),
      );
      if (!stop.signal.aborted) setAnswer(next);
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [client, sessionId, words]);
  return answer;
}
