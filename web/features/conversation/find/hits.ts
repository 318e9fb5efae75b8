import { type LiveTurn, liveText } from '../../../../client/live-turn.ts';
import type { ParleyClient } from '../../../../client/parley-client.ts';
import { type SessionState, shownMessages } from '../../../../client/session-state.ts';
import { ownWords } from '../../../../contract/context-line.ts';
import type { Message } from '../../../../contract/messages.ts';

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

function toHit(message: Message, phrase: string): Hit {
  const { id, seq } = message;
  return { key: id, seq: seq ?? 0, places: placesIn(ownWords(message), phrase) };
}

/** The first hit to show: the first that is not above the visible part, else the last. */
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

/** Like the server's index: letters, digits and private-use characters make words. */
const TOKEN = /[\p{L}\p{N}\p{Co}](?:[\p{L}\p{N}\p{Co}]|[\u0300-\u0331])*/gu;
const ACCENT = /[\u0300-\u036f]/g;
const MARKS = /\*\*|__|~~|[*`]/g;

interface Span {
  readonly start: number;
  readonly end: number;
}

/** What is looked for, letter by letter; case and accents aside. Empty when it is nothing but space. */
export function phraseOf(query: string): string {
  return query.trim() === '' ? '' : fold(query);
}

/** For the server, which looks for words in their order. Null when there is no word in it. */
export function toQuery(phrase: string): string | null {
  const words = phrase.match(TOKEN);
  return words && `"${words.join(' ')}"*`;
}

/** Where the phrase stands in a text. */
export function spansIn(text: string, phrase: string): Span[] {
  if (phrase === '') return [];
  const folded = fold(text);
  if (!folded.includes(phrase)) return [];
  return spansOf(folded, phrase, folded.length === text.length ? null : originsIn(text));
}

/** How often a message shows the phrase. Marks of Markdown may stand in the middle of it and are not shown. */
export function placesIn(text: string, phrase: string): number {
  return spansIn(text, phrase).length || spansIn(text.replace(MARKS, ''), phrase).length;
}

function spansOf(folded: string, phrase: string, origins: readonly number[] | null): Span[] {
  const spans: Span[] = [];
  for (let at = folded.indexOf(phrase); at !== -1; at = folded.indexOf(phrase, at + phrase.length)) {
    const end = at + phrase.length;
    spans.push(origins ? { start: origins[at]!, end: origins[end]! } : { start: at, end });
  }
  return spans;
}

/** For every place in the folded text and for its end, the place in the text itself. An accent belongs to its letter. */
function originsIn(text: string): number[] {
  const origins: number[] = [];
  let at = 0;
  for (const letter of text) {
    for (let unit = fold(letter).length; unit > 0; unit--) origins.push(at);
    at += letter.length;
  }
  return [...origins, at];
}

function fold(text: string): string {
  return text.toLowerCase().normalize('NFD').replace(ACCENT, '').replaceAll('ς', 'σ').replace(/\s/g, ' ');
}

const PAGE = 100;
const MOST_PAGES = 10;

/** Everything of a session in which the words of a phrase stand in their order, loaded here or not, from top to bottom. */
export async function searchSession(
  client: Pick<ParleyClient, 'call'>,
  sessionId: string,
  phrase: string,
  signal: AbortSignal,
): Promise<Found> {
  const q = toQuery(phrase);
  if (q === null) return NOTHING;
  const hits: Hit[] = [];
  let cursor: string | null | undefined;
  for (let page = 0; page < MOST_PAGES && cursor !== null; page++) {
    const found = await client.call('search', {
      query: { q, session: sessionId, limit: PAGE, ...(cursor && { cursor }) },
      signal,
    });
    hits.push(...found.hits.map(({ messageId, seq, count }) => ({ key: messageId, seq, places: count })));
    cursor = found.next;
  }
  return { hits: hits.sort((a, b) => a.seq - b.seq), isCut: cursor !== null };
}
