import { isJsonTooDeep } from '../../contract/json-depth.ts';
import { findUnseenCharacters, markUnseenCharacters } from '../../contract/unseen-characters.ts';

/** Arguments that say by themselves what a call is about. */
const OBVIOUS = ['command', 'question', 'path', 'url', 'query'];

/**
 * Arguments in one line: `https://… status=open`. The only one, or the one that a call is about, without its name; beside
 * that one, lists and objects are left out.
 */
export function shortInput(input: string): string {
  const parsed = parse(input);
  if (parsed === null) return input;
  const entries = Object.entries(parsed);
  const obvious = entries.length === 1 ? entries[0]![0] : OBVIOUS.find((name) => name in parsed);
  return entries
    .filter(([, value]) => obvious === undefined || typeof value !== 'object' || entries.length === 1)
    .map(([name, value]) => (name === obvious && value !== '' ? wordsOf(value) : `${name}=${wordsOf(value)}`))
    .join(' ');
}

/** What a person was asked, and the fields they were given to fill in. */
export interface AskedQuestion {
  readonly question: string;
  readonly fields: readonly { readonly name: string; readonly label: string; readonly options: readonly string[] }[];
}

/** The question in the arguments of a call; null when they ask nothing. */
export function readQuestion(input: string): AskedQuestion | null {
  const { question, fields } = parse(input) ?? {};
  if (typeof question !== 'string') return null;
  return { question, fields: (Array.isArray(fields) ? fields : []).flatMap(readField) };
}

function readField(field: unknown): AskedQuestion['fields'] {
  if (typeof field !== 'object' || field === null) return [];
  const { name, label, options } = field as Record<string, unknown>;
  if (typeof name !== 'string') return [];
  const words = (Array.isArray(options) ? options : []).filter((option) => typeof option === 'string');
  return [{ name, label: typeof label === 'string' ? label : name, options: words }];
}

function wordsOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** The same, one below the other; what is not JSON as it is. */
export function prettyInput(input: string): string {
  const parsed = parse(input);
  return parsed === null ? input : JSON.stringify(parsed, null, 2);
}

function parse(input: string): Record<string, unknown> | null {
  try {
    const value: unknown = isJsonTooDeep(input) ? null : JSON.parse(input);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

/** One argument of a call as a person reads it. */
export interface ReadArgument {
  readonly name: string;
  /** With every character that cannot be seen marked. */
  readonly text: string;
  /** `block`: text with lines of its own. `removed`, `added`: the two sides of an edit. */
  readonly kind: 'value' | 'block' | 'removed' | 'added';
}

const TEXTS = new Set(['command', 'script', 'code', 'content', 'patch', 'diff', 'query', 'sql', 'body']);
const EDITS: readonly (readonly [removed: string, added: string])[] = [
  ['find', 'replace'],
  ['old_string', 'new_string'],
  ['oldText', 'newText'],
];
const LONG_VALUE = 80;

/** The arguments one by one, nothing left out; null when they are no JSON object. */
export function readInput(input: string): readonly ReadArgument[] | null {
  const parsed = parse(input);
  if (parsed === null || Array.isArray(parsed)) return null;
  const edit = EDITS.find((names) => names.every((name) => typeof parsed[name] === 'string'));
  return Object.entries(parsed).map(([name, value]) => {
    const text = markUnseenCharacters(typeof value === 'string' ? value : JSON.stringify(value, null, 2));
    return { name: markUnseenCharacters(name), text, kind: kindOf(name, text, edit) };
  });
}

function kindOf(name: string, text: string, edit: readonly string[] | undefined): ReadArgument['kind'] {
  if (edit?.includes(name)) return name === edit[0] ? 'removed' : 'added';
  return TEXTS.has(name) || text.includes('\n') || text.length > LONG_VALUE ? 'block' : 'value';
}

/** About as many characters as a line of the card holds. */
const LINE = 90;

/** How many lines a text takes up, its long lines wrapped. */
export function countLines(text: string): number {
  return text.split('\n').reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / LINE)), 0);
}

/** As much of a text as fits into some lines. */
export function firstLines(text: string, count: number): string {
  const kept: string[] = [];
  let left = count;
  for (const line of text.split('\n')) {
    if (left <= 0) break;
    kept.push(line.slice(0, left * LINE));
    left -= Math.max(1, Math.ceil(line.length / LINE));
  }
  return kept.join('\n');
}

/** The same JSON with each character that cannot be seen written as an escape, such as `\u202e`. */
export function escapeUnseenCharacters(json: string): string {
  let escaped = '';
  let end = 0;
  for (const { index, length } of findUnseenCharacters(json)) {
    const units = json.slice(index, index + length).split('');
    escaped += json.slice(end, index) + units.map(toEscape).join('');
    end = index + length;
  }
  return escaped + json.slice(end);
}

function toEscape(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
