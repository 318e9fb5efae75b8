import type { Insertable } from 'kysely';
import { withoutContextLine } from '../../contract/context-line.ts';
import { isReservedId, speakerOf } from '../../contract/speakers.ts';
import { searchWords, stretchesOf, unspacedPairs } from '../storage/search-words.ts';
import { type MessageRow, toParts } from '../storage/tables.ts';

/** A stretch of text that the search index holds as one word, folded the way the index folds it. */
export interface Token {
  folded: string;
  start: number;
  end: number;
  /** Part of a run without spaces: a pair of characters, or the last character of the run. */
  unspaced: boolean;
}

/**
 * Like SQLite's unicode61: letters, digits and private-use characters make words; accents written as characters of their
 * own belong to the word they follow. Chinese and Japanese are cut into pairs, as the index has them.
 */
const TOKEN = /[\p{L}\p{N}\p{Co}](?:[\p{L}\p{N}\p{Co}]|[\u0300-\u0331])*/gu;
const ACCENT = /[\u0300-\u036f]/g;
const PLAIN = /^[A-Za-z0-9]*$/;

export function hasToken(text: string): boolean {
  return text.search(TOKEN) >= 0;
}

/** Lazy: a long text is read only as far as the caller iterates. */
export function* tokensOf(text: string): Generator<Token> {
  for (const { 0: word, index } of text.matchAll(TOKEN)) {
    if (PLAIN.test(word)) yield { folded: word.toLowerCase(), start: index, end: index + word.length, unspaced: false };
    else yield* tokensOfWord(word, index);
  }
}

function* tokensOfWord(word: string, at: number): Generator<Token> {
  for (const { text, start, unspaced } of stretchesOf(word)) {
    const from = at + start;
    if (unspaced) yield* unspacedPairs(text, from).map((pair) => ({ ...pair, folded: fold(pair.text), unspaced }));
    else yield { folded: fold(text), start: from, end: from + text.length, unspaced };
  }
}

/** Case and accents aside, `remove_diacritics 2`. */
function fold(word: string): string {
  return word.toLowerCase().normalize('NFD').replace(ACCENT, '').normalize('NFC');
}

/** A term as the words that the index holds for it, in order; the last one may go on where `prefix` says so. */
export interface TermWords {
  readonly words: readonly string[];
  readonly prefix: boolean;
}

/**
 * A term that ends in a run without spaces may go on in any text: its last character is part of the pair before it, and
 * one that stands alone is the beginning of a pair.
 */
export function termWords({ text, prefix }: { text: string; prefix: boolean }): TermWords {
  const tokens = [...tokensOf(text)];
  const [before, last] = tokens.slice(-2);
  const only = last ?? before;
  if (!only?.unspaced) return { words: tokens.map(({ folded }) => folded), prefix };
  const isEndOfPair = last !== undefined && before!.unspaced && before!.end === last.end;
  const words = (isEndOfPair ? tokens.slice(0, -1) : tokens).map(({ folded }) => folded);
  return { words, prefix: !isEndOfPair };
}

type Tagged = Pick<Insertable<MessageRow>, 'session_id' | 'role' | 'agent_id' | 'text' | 'parts'>;

/** What is indexed of a message: its words and, as tokens of their own, what searches filter by. */
export interface IndexedRow {
  rowid: number;
  text: string;
  tags: string;
}

export function toIndexed(row: Tagged & { rid: number }): IndexedRow {
  return { rowid: row.rid, text: searchWords(withoutContextLine(row.text)), tags: searchTags(row) };
}

/**
 * What searches filter by, as tokens of their own beside the words: who said it and where. `from:user` is the person and
 * `from:assistant` what has no name; an imported agent that is called so is found by `agent:` only.
 */
export function searchTags(row: Tagged): string {
  const { kind, agent } = speakerOf({ role: row.role, agent: row.agent_id ?? null, parts: partsFor(row) });
  const tags = [searchTag('session', row.session_id)];
  if (agent === null) tags.push(searchTag('from', NAMELESS[kind] ?? 'assistant'));
  else tags.push(searchTag('agent', agent));
  if (agent !== null && !isReservedId(agent)) tags.push(searchTag('from', agent));
  return tags.join(' ');
}

const NAMELESS: Readonly<Record<string, string>> = { person: 'user', webhook: 'webhook' };

/** The parts of an answer say nothing about its speaker. */
function partsFor({ role, text, parts }: Tagged) {
  return role === 'assistant' || !parts ? [] : toParts(text, parts);
}

/** A filter value as one token of letters and digits, whatever it contains. */
export function searchTag(kind: 'session' | 'from' | 'agent', value: string): string {
  return `${kind}x${Buffer.from(value.toLowerCase()).toString('hex')}`;
}
