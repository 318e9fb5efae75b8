import { useCallback, useEffect, useMemo, useState } from 'react';
import type { SessionState } from '../../../../client/session-state.ts';
import type { Jump } from '../use-jump.ts';
import { type Hit, hitsLive, hitsSaid, nearest, type Place, step } from './hits.ts';
import { useFound } from './use-found.ts';
import { wordsIn } from './words.ts';

export interface Find {
  readonly query: string;
  readonly words: readonly string[];
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
  const words = useMemo(() => (isOpen ? wordsIn(query) : []), [isOpen, query]);
  const answer = useFound(state, words);
  const hits = useHits(state, answer.found, words);
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
  const isSearching = answer.asked !== words.join(' ');
  const { found, problem } = answer;
  return { query, words, hits, current, isSearching, isCut: found.isCut, problem, setQuery, go };
}

function firstPlace(hit: Hit | undefined): Place | undefined {
  return hit && { key: hit.key, at: 0 };
}

function useHits(state: SessionState, found: Parameters<typeof hitsSaid>[1], words: readonly string[]): Hit[] {
  const { messages, headId, open } = state;
  // biome-ignore lint/correctness/useExhaustiveDependencies: with what was said, not with every token
  const said = useMemo(() => hitsSaid(state, found, words), [messages, headId, found, words]);
  const live = hitsLive(open, words);
  const speaking = live.map(({ key, places }) => `${key} ${places}`).join();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the same as long as the same ones speak
  return useMemo(() => [...said, ...live], [said, speaking]);
}
