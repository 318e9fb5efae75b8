import { type LiveTurn, liveText } from '../../../../client/live-turn.ts';
import { type SessionState, shownMessages } from '../../../../client/session-state.ts';
import type { Message } from '../../../../contract/messages.ts';
import { placesIn } from './phrase.ts';

/** A row in which what is looked for stands. */
export interface Hit {
  readonly key: string;
  /** Infinite for what is being said at this moment. */
  readonly seq: number;
  /** How many places in it are lit. */
  readonly places: number;
}

/** One place in a row, from 0. */
export interface Place {
  readonly key: string;
  readonly at: number;
}

/** What the server found. */
export interface Found {
  readonly hits: readonly Hit[];
  /** There is more than anybody wants to step through. */
  readonly isCut: boolean;
}

export const NOTHING: Found = { hits: [], isCut: false };

/** From top to bottom: what the server found above what is loaded, and what is found in that. */
export function hitsSaid(state: SessionState, found: Found, phrase: string): Hit[] {
  if (phrase === '') return [];
  const shown = shownMessages(state);
  const first = shown[0]?.seq ?? Number.POSITIVE_INFINITY;
  const above = found.hits.filter(({ seq }) => seq < first);
  const here = shown.map((message) => toHit(message, phrase)).filter(({ places }) => places > 0);
  return [...above, ...here].sort((a, b) => a.seq - b.seq);
}

export function hitsLive(turns: readonly LiveTurn[], phrase: string): Hit[] {
  if (phrase === '') return [];
  const speaking = turns.map((turn) => ({
    key: `live ${turn.turnId}`,
    seq: Number.POSITIVE_INFINITY,
    places: placesIn(liveText(turn), phrase),
  }));
  return speaking.filter(({ places }) => places > 0);
}

function toHit({ id, seq, text }: Message, phrase: string): Hit {
  return { key: id, seq: seq ?? 0, places: placesIn(text, phrase) };
}

/** Where somebody begins: at the first that is not above what they see, else at the last. */
export function nearest(hits: readonly Hit[], seq: number): Hit | undefined {
  return hits.find((hit) => hit.seq >= seq) ?? hits.at(-1);
}

/** The next place, round and round. */
export function step(hits: readonly Hit[], current: Place | null, by: 1 | -1): Place | undefined {
  const index = hits.findIndex(({ key }) => key === current?.key);
  const within = (current?.at ?? 0) + by;
  if (current && index >= 0 && within >= 0 && within < hits[index]!.places) return { key: current.key, at: within };
  const from = index < 0 && by < 0 ? 0 : index;
  const next = hits[(from + by + hits.length) % hits.length];
  return next && { key: next.key, at: by > 0 ? 0 : Math.max(0, next.places - 1) };
}

/** How many places there are, and which of them the current one is, from 1; 0 when none is. */
export function countPlaces(hits: readonly Hit[], current: Place | null): { index: number; count: number } {
  const at = hits.findIndex(({ key }) => key === current?.key);
  const sum = (some: readonly Hit[]) => some.reduce((total, { places }) => total + places, 0);
  return { index: at < 0 ? 0 : sum(hits.slice(0, at)) + current!.at + 1, count: sum(hits) };
}
