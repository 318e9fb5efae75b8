import { type RefObject, useCallback, useEffect, useMemo, useState } from 'react';
import type { SessionState } from '../../../../client/session-state.ts';
import { useLiveConnection } from '../../../live/use-live.ts';
import { openFind } from '../../../state/find-state.ts';
import type { Jump } from '../use-jump.ts';
import {
  type Found,
  type Hit,
  hitsLive,
  hitsSaid,
  NOTHING,
  nearest,
  type Place,
  phraseOf,
  searchSession,
  step,
} from './hits.ts';

export interface Find {
  readonly query: string;
  readonly phrase: string;
  readonly hits: readonly Hit[];
  /** The place that is shown of them. */
  readonly current: Place | null;
  readonly isSearching: boolean;
  readonly isCut: boolean;
  readonly problem: string | null;
  setQuery(query: string): void;
  go(by: 1 | -1): void;
}

/** Looks through a whole session, and leads from one place to the next. `seenFrom` says where the page begins now. */
export function useFind(state: SessionState, isOpen: boolean, seenFrom: () => number, jump: Jump): Find {
  const [query, setQuery] = useState('');
  const [wanted, setWanted] = useState<Place | null>(null);
  const phrase = isOpen ? phraseOf(query) : '';
  const answer = useFound(state, phrase);
  const hits = useHits(state, answer.found, phrase);
  const current = hits.some(({ key }) => key === wanted?.key) ? wanted : null;
  const { to } = jump;
  const show = useCallback(
    (place: Place | undefined) => {
      setWanted(place ?? null);
      const hit = hits.find(({ key }) => key === place?.key);
      if (hit) void to(hit.key, hit.seq);
    },
    [to, hits],
  );
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each answer, not with what is said since
  useEffect(() => {
    if (answer.asked !== '' && current === null) show(firstPlace(nearest(hits, seenFrom())));
  }, [answer]);
  const go = (by: 1 | -1) => show(step(hits, current, by));
  const isSearching = answer.asked !== phrase;
  const { found, problem } = answer;
  return { query, phrase, hits, current, isSearching, isCut: found.isCut, problem, setQuery, go };
}

function firstPlace(hit: Hit | undefined): Place | undefined {
  return hit && { key: hit.key, at: 0 };
}

function useHits(state: SessionState, found: Found, phrase: string): Hit[] {
  const { messages, headId, open } = state;
  // biome-ignore lint/correctness/useExhaustiveDependencies: with what was said, not with every token
  const said = useMemo(() => hitsSaid(state, found, phrase), [messages, headId, found, phrase]);
  const live = hitsLive(open, phrase);
  const speaking = live.map(({ key, places }) => `${key} ${places}`).join();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the same as long as the same ones speak
  return useMemo(() => [...said, ...live], [said, speaking]);
}

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
function useFound({ sessionId }: SessionState, phrase: string): Answer {
  const { client } = useLiveConnection();
  const [answer, setAnswer] = useState(NOTHING_ASKED);
  useEffect(() => {
    if (phrase === '') return setAnswer(NOTHING_ASKED);
    const stop = new AbortController();
    const timer = setTimeout(async () => {
      const next = await searchSession(client, sessionId, phrase, stop.signal).then(
        (found): Answer => ({ asked: phrase, found, problem: null }),
        (error: Error): Answer => ({ asked: phrase, found: NOTHING, problem: error.message }),
      );
      if (!stop.signal.aborted) setAnswer(next);
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [client, sessionId, phrase]);
  return answer;
}

/** Ctrl+F or ⌘F in the conversation looks here first; from the box itself it is the browser's again. */
export function useFindKey(sessionId: string, place: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'f' || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey)
        return;
      if (event.defaultPrevented || !isHere(event.target, place.current)) return;
      event.preventDefault();
      openFind(sessionId);
    };
    addEventListener('keydown', listen);
    return () => removeEventListener('keydown', listen);
  }, [sessionId, place]);
}

function isHere(target: EventTarget | null, place: HTMLElement | null): boolean {
  if (!(target instanceof HTMLElement) || target.matches('[data-find]')) return false;
  if (!place?.querySelector('[role="log"]')) return false;
  return target === document.body || place.contains(target);
}
