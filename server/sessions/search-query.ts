import { AppError } from '../../contract/errors.ts';
import { say, type Text } from '../../contract/texts.ts';
import { hasToken } from './search-tokens.ts';

/** A word, a phrase, or the beginning of one (`prefix`). */
export interface Term {
  text: string;
  prefix: boolean;
}

/** What a person typed, understood. Several values of one filter mean any of them; everything else means all. */
export interface ParsedSearch {
  terms: Term[];
  excluded: Term[];
  agents: string[];
  from: string[];
  sessions: string[];
  /** Milliseconds; from this moment on. */
  after: number | null;
  /** Milliseconds; earlier than this moment. */
  before: number | null;
}

interface Piece {
  negated: boolean;
  filter: string | undefined;
  value: string;
  star: boolean;
}

const MAX_TERMS = 32;

/** `budget "clear my afternoon" plan* -draft agent:wisp/scheduler session:"my week" after:7d` */
export function parseSearch(q: string, now: number): ParsedSearch {
  const parsed: ParsedSearch = {
    terms: [],
    excluded: [],
    agents: [],
    from: [],
    sessions: [],
    after: null,
    before: null,
  };
  for (const piece of splitQuery(q)) take(parsed, piece, now);
  assertAnswerable(parsed);
  return parsed;
}

/** A dash excludes only right before a word, so that `--new` and a lone dash are ordinary text. */
const PIECE =
  /(?<dash>-(?=[^\s-]))?(?:(?<filter>agent|from|session|before|after):)?(?:"(?<quoted>[^"]*)"(?<star>\*)?|(?<bare>[^\s"]*))/iuy;

function splitQuery(q: string): Piece[] {
  const text = q.replace(/[“”„‟]/g, '"');
  const pieces: Piece[] = [];
  PIECE.lastIndex = 0;
  for (skipSpace(text); PIECE.lastIndex < text.length; skipSpace(text)) {
    const found = PIECE.exec(text);
    if (!found?.[0]) throw invalid(say('search_invalid.quote'));
    pieces.push(toPiece(found.groups!));
  }
  return pieces;
}

function skipSpace(text: string): void {
  while (/\s/.test(text.charAt(PIECE.lastIndex))) PIECE.lastIndex += 1;
}

function toPiece(groups: Record<string, string | undefined>): Piece {
  const bare = groups.bare ?? '';
  return {
    negated: groups.dash !== undefined,
    filter: groups.filter?.toLowerCase(),
    value: groups.quoted ?? bare,
    star: groups.star !== undefined || bare.endsWith('*'),
  };
}

function take(parsed: ParsedSearch, piece: Piece, now: number): void {
  if (piece.filter === undefined) takeTerm(piece.negated ? parsed.excluded : parsed.terms, piece);
  else if (piece.negated) throw invalid(say('search_invalid.excludedFilter', { filter: piece.filter }));
  else if (!piece.value.trim())
    throw invalid(say('search_invalid.value', { filter: piece.filter, example: EXAMPLES[piece.filter]! }));
  else takeFilter(parsed, piece.filter, piece.value.trim(), now);
}

const EXAMPLES: Record<string, string> = {
  agent: 'agent:wisp/concierge',
  from: 'from:user',
  session: 'session:"my week"',
  before: 'before:2026-01-31',
  after: 'after:7d',
};

/** What holds no letter or digit cannot be found, and is left out like any other punctuation. */
function takeTerm(terms: Term[], piece: Piece): void {
  if (hasToken(piece.value)) terms.push({ text: piece.value, prefix: piece.star });
}

function takeFilter(parsed: ParsedSearch, filter: string, value: string, now: number): void {
  if (filter === 'agent') parsed.agents.push(value);
  else if (filter === 'from') parsed.from.push(value);
  else if (filter === 'session') parsed.sessions.push(value);
  else if (filter === 'before') parsed.before = Math.min(parsed.before ?? Infinity, readTime(filter, value, now));
  else parsed.after = Math.max(parsed.after ?? -Infinity, readTime(filter, value, now));
}

const UNIT_MS: Record<string, number> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000, y: 31_557_600_000 };
const DATE_TIME = /^\d{4}-\d{2}-\d{2}(?<time>[T ]\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(?<zone>Z|[+-]\d{2}:?\d{2})?)?$/i;

/** Without a zone, times are UTC, like every time the API shows. */
function readTime(filter: string, value: string, now: number): number {
  const relative = /^(\d{1,5})([mhdwy])$/i.exec(value);
  if (relative) return now - Number(relative[1]) * UNIT_MS[relative[2]!.toLowerCase()]!;
  const found = DATE_TIME.exec(value);
  const zone = found?.groups?.time && !found.groups.zone ? 'Z' : '';
  const time = found && isRealDay(value.slice(0, 10)) ? Date.parse(value.replace(' ', 'T') + zone) : Number.NaN;
  if (Number.isNaN(time)) throw invalid(say('search_invalid.time', { filter, value }));
  return time;
}

function isRealDay(day: string): boolean {
  const time = Date.parse(`${day}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(day);
}

function assertAnswerable(parsed: ParsedSearch): void {
  const positive = parsed.terms.length + parsed.agents.length + parsed.from.length + parsed.sessions.length;
  if (parsed.terms.length + parsed.excluded.length > MAX_TERMS)
    throw invalid(say('search_invalid.tooManyWords', { limit: MAX_TERMS }));
  if (parsed.excluded.length > 0 && positive === 0) throw invalid(say('search_invalid.onlyExcluded'));
  if (positive === 0 && parsed.after === null && parsed.before === null) throw invalid(say('search_invalid.empty'));
}

function invalid(message: Text): AppError {
  return new AppError('search_invalid', message);
}
