import { type LiveTurn, liveText } from '../../../client/live-turn.ts';
import { type SessionState, shownMessages } from '../../../client/session-state.ts';
import { hasAll } from './words.ts';

/** A row in which everything that is looked for stands. */
export interface Hit {
  readonly key: string;
  /** Infinite for what is being said at this moment. */
  readonly seq: number;
}

/** What the server found, when everything up to `upto` had been said. */
export interface Found {
  readonly hits: readonly Hit[];
  readonly upto: number;
  /** There is more than anybody wants to step through. */
  readonly isCut: boolean;
}

export const NOTHING: Found = { hits: [], upto: Number.POSITIVE_INFINITY, isCut: false };

/** From top to bottom: what the server found, and what was said since. What is deleted is left out. */
export function hitsSaid(state: SessionState, found: Found, words: readonly string[]): Hit[] {
  if (words.length === 0) return [];
  const shown = shownMessages(state);
  const first = shown[0]?.seq ?? Number.POSITIVE_INFINITY;
  const here = new Set(shown.map(({ id }) => id));
  const stored = found.hits.filter(({ key, seq }) => seq < first || here.has(key));
  const known = new Set(stored.map(({ key }) => key));
  const since = shown.slice(shown.findLastIndex(({ seq }) => (seq ?? 0) <= found.upto) + 1);
  const later = since.filter(({ id, text }) => !known.has(id) && hasAll(text, words));
  return [...stored, ...later.map(({ id, seq }) => ({ key: id, seq: seq ?? 0 }))].sort((a, b) => a.seq - b.seq);
}

export function hitsLive(turns: readonly LiveTurn[], words: readonly string[]): Hit[] {
  if (words.length === 0) return [];
  const speaking = turns.filter((turn) => hasAll(liveText(turn), words));
  return speaking.map(({ turnId }) => ({ key: `live ${turnId}`, seq: Number.POSITIVE_INFINITY }));
}

/** Where somebody begins: at the first that is not above what they see, else at the last. */
export function nearest(hits: readonly Hit[], seq: number): Hit | undefined {
  return hits.find((hit) => hit.seq >= seq) ?? hits.at(-1);
}

/** The next one, round and round. */
export function step(hits: readonly Hit[], current: string | null, by: 1 | -1): Hit | undefined {
  const at = hits.findIndex(({ key }) => key === current);
  const from = at < 0 && by < 0 ? 0 : at;
  return hits[(from + by + hits.length) % hits.length];
}
