import { type ConfigPath, configPathName } from '../validation.ts';

const MAX_DEPTH = 64;
const FORBIDDEN = new Set(['__proto__', 'constructor', 'prototype']);

export type JsonObject = Record<string, unknown>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The engine's own message quotes the text around a mistake, which may be a key; this one only says where. */
export function parseJson(text: string, file: string): { value: unknown; issues: string[] } {
  const plain = text.startsWith('\uFEFF') ? text.slice(1) : text;
  try {
    return { value: JSON.parse(plain), issues: [] };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const { line, column, expected } = findMistake(plain);
    return { value: undefined, issues: [`${file}: line ${line}, column ${column}: expected ${expected}`] };
  }
}

/** Keys that would reach a prototype, and nesting no real definition has. */
export function unsafeKeys(value: unknown, place: ConfigPath, depth = 0): string[] {
  if (typeof value !== 'object' || value === null) return [];
  if (depth >= MAX_DEPTH) return [`${configPathName(place)} is nested more than ${MAX_DEPTH} levels deep`];
  if (Array.isArray(value)) return value.flatMap((item, index) => unsafeKeys(item, inside(place, index), depth + 1));
  return Object.entries(value).flatMap(([key, item]) =>
    FORBIDDEN.has(key)
      ? [`${configPathName(place, key)} is not allowed as a field name`]
      : unsafeKeys(item, inside(place, key), depth + 1),
  );
}

function inside(place: ConfigPath, key: PropertyKey): ConfigPath {
  return { ...place, path: [...place.path, key] };
}

interface Mistake {
  line: number;
  column: number;
  expected: string;
}

/** A mark, a string (written as stretches of plain characters between escapes) or an atom, after any white space. */
const TOKEN =
  /[ \t\r\n]*(?:(?<mark>[{}[\],:])|(?<string>"[ !#-[\]-\u{10ffff}]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[ !#-[\]-\u{10ffff}]*)*")|(?<atom>true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])))/uy;

type Expectation = 'value' | 'value or ]' | 'key' | 'key or }' | 'colon' | 'next' | 'end';

const EXPECTED: Record<Expectation, string> = {
  value: 'a value',
  'value or ]': 'a value or "]"',
  key: 'a field name in double quotes',
  'key or }': 'a field name in double quotes or "}"',
  colon: '":"',
  next: '"," or the closing bracket',
  end: 'the end of the file',
};

/** Walks the tokens of a text that is known not to parse, to the first one that cannot stand where it does. */
function findMistake(text: string): Mistake {
  const open: string[] = [];
  let expectation: Expectation = 'value';
  let offset = 0;
  for (;;) {
    TOKEN.lastIndex = offset;
    const token = TOKEN.exec(text);
    const next: Expectation | null | undefined = token && follow(expectation, token.groups!, open);
    if (!token || !next) return mistakeAt(text, offset, describeExpected(expectation, open));
    [expectation, offset] = [next, TOKEN.lastIndex];
  }
}

function follow(
  expectation: Expectation,
  token: Record<string, string | undefined>,
  open: string[],
): Expectation | undefined {
  const { mark, string } = token;
  if (expectation.startsWith('key') && string !== undefined) return 'colon';
  if (expectation === 'colon') return mark === ':' ? 'value' : undefined;
  if (expectation.startsWith('value') && mark === undefined) return afterValue(open);
  if (expectation.startsWith('value') && (mark === '{' || mark === '[')) return opened(mark, open);
  if (closes(expectation, mark, open)) {
    open.pop();
    return afterValue(open);
  }
  if (expectation === 'next' && mark === ',') return open.at(-1) === '{' ? 'key' : 'value';
  return undefined;
}

function opened(mark: '{' | '[', open: string[]): Expectation {
  open.push(mark);
  return mark === '{' ? 'key or }' : 'value or ]';
}

function closes(expectation: Expectation, mark: string | undefined, open: string[]): boolean {
  const matches = (open.at(-1) === '{' && mark === '}') || (open.at(-1) === '[' && mark === ']');
  return matches && (expectation === 'next' || expectation === 'key or }' || expectation === 'value or ]');
}

function afterValue(open: string[]): Expectation {
  return open.length === 0 ? 'end' : 'next';
}

function describeExpected(expectation: Expectation, open: string[]): string {
  if (expectation !== 'next') return EXPECTED[expectation];
  return open.at(-1) === '{' ? '"," or "}"' : '"," or "]"';
}

function mistakeAt(text: string, offset: number, expected: string): Mistake {
  const at = offset + /^[ \t\r\n]*/.exec(text.slice(offset))![0].length;
  const before = text.slice(0, at).split('\n');
  const torn = text[at] === '"' && /value|field/.test(expected);
  const better = torn ? 'a string that is closed on its line, with valid escapes' : expected;
  return { line: before.length, column: before.at(-1)!.length + 1, expected: better };
}

/**
 * Lays a definition over the one it extends: objects merge, everything else replaces, an absent field is inherited.
 * `null` stays in the result: it says that the field is cleared, which absence does not. Of `approvals`, where the first
 * pattern that matches decides, what is laid over comes first.
 */
export function mergeOver(base: JsonObject, over: JsonObject): JsonObject {
  const merged: JsonObject = { ...base };
  for (const [key, value] of Object.entries(over)) {
    const under = Object.hasOwn(base, key) ? base[key] : undefined;
    merged[key] = isObject(value) && isObject(under) ? mergeField(key, under, value) : value;
  }
  return merged;
}

function mergeField(key: string, under: JsonObject, value: JsonObject): JsonObject {
  return key === 'approvals' ? { ...value, ...under, ...value } : mergeOver(under, value);
}

/**
 * Changes a definition: an absent field stays, `null` clears. Where the agent extends something, a cleared field is
 * written as `null`, because leaving it out would inherit again; elsewhere it is left out.
 */
export function applyPatch(definition: JsonObject, patch: JsonObject): JsonObject {
  const merged = mergeOver(definition, patch);
  // Sent as a whole: a pattern could not be taken out otherwise.
  if (isObject(patch.approvals)) merged.approvals = patch.approvals;
  if (merged.extends === null) delete merged.extends;
  return typeof merged.extends === 'string' ? merged : withoutCleared(merged, patch);
}

function withoutCleared(merged: JsonObject, patch: JsonObject): JsonObject {
  const kept: JsonObject = {};
  for (const [key, value] of Object.entries(merged)) {
    const change = Object.hasOwn(patch, key) ? patch[key] : undefined;
    if (change === null) continue;
    kept[key] = isObject(value) && isObject(change) ? withoutCleared(value, change) : value;
  }
  return kept;
}
