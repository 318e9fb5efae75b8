import { z } from 'zod';

type Issue = z.core.$ZodIssue;

export type Checked<T> = { value: T; issues: [] } | { value: undefined; issues: string[] };

/** Parses, and says what is wrong as sentences that begin with the path. Values are never quoted: they may be keys. */
export function check<T>(schema: z.ZodType<T>, input: unknown, place: ConfigPath = { path: [] }): Checked<T> {
  return toChecked(schema.safeParse(input), schema, input, place);
}

/** The same for what is read once: zod would write a reader for each schema first, which takes longer than reading. */
export function checkOnce<T>(schema: z.ZodType<T>, input: unknown, place: ConfigPath = { path: [] }): Checked<T> {
  return toChecked(schema.safeParse(input, { jitless: true }), schema, input, place);
}

function toChecked<T>(
  parsed: z.ZodSafeParseResult<T>,
  schema: z.ZodType<T>,
  input: unknown,
  place: ConfigPath,
): Checked<T> {
  if (parsed.success) return { value: parsed.data, issues: [] };
  return { value: undefined, issues: describeIssues(parsed.error.issues, schema, input, place) };
}

/** A report lists no more issues than this, however many mistakes the client has sent. */
const MOST_ISSUES = 50;

export function describeIssues(
  issues: readonly Issue[],
  schema: z.ZodType,
  input: unknown,
  place: ConfigPath,
): string[] {
  const described = issues.slice(0, MOST_ISSUES).flatMap((issue) => describeIssue(issue, schema, input, place));
  return described.slice(0, MOST_ISSUES);
}

function describeIssue(issue: Issue, schema: z.ZodType, input: unknown, place: ConfigPath): string[] {
  const name = configPathName(place, ...issue.path);
  if (issue.code === 'unrecognized_keys') return describeUnknownKeys(issue, schema, place);
  if (issue.code === 'invalid_union') return describeUnion(issue, schema, input, place);
  if (valueAt(input, issue.path) === undefined && issue.path.length > 0) return [`${name} is required`];
  return [`${name} ${complaint(issue)}`];
}

function describeUnknownKeys(
  issue: Issue & { code: 'unrecognized_keys' },
  schema: z.ZodType,
  place: ConfigPath,
): string[] {
  const known = fieldsAt(schema, issue.path);
  return issue.keys
    .slice(0, MOST_ISSUES)
    .map((key) => `${configPathName(place, ...issue.path, key)} is not a known field${didYouMean(key, known)}`);
}

/** When every branch rejects the value itself, the issues are joined; else those of the branch that got furthest count. */
function describeUnion(
  issue: Issue & { code: 'invalid_union' },
  schema: z.ZodType,
  input: unknown,
  place: ConfigPath,
): string[] {
  const name = configPathName(place, ...issue.path);
  const value = valueAt(input, issue.path);
  if (value === undefined && issue.path.length > 0) return [`${name} is required`];
  if (isOwnMessage(issue)) return [`${name} ${issue.message}`];
  const furthest = issue.errors.filter((branch) => branch.some((inner) => inner.path.length > 0));
  if (furthest.length === 1) {
    return describeIssues(furthest[0]!, schema, value, { ...place, path: [...place.path, ...issue.path] });
  }
  const complaints = new Set(issue.errors.map((branch) => (branch[0] ? complaint(branch[0]) : 'is not valid')));
  const [first = 'is not valid', ...rest] = complaints;
  return [`${name} ${[first, ...rest.map((text) => text.replace(/^must be /, ''))].join(' or ')}`];
}

/** A message written in the schema continues the sentence; the library's own begin with a capital. */
function isOwnMessage({ message }: Issue): boolean {
  return /^[a-z]/.test(message);
}

/** What is wrong with a value, as the end of a sentence that begins with its place. */
function complaint(issue: Issue): string {
  if (isOwnMessage(issue)) return issue.message;
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${TYPE_NAMES[issue.expected] ?? `a ${issue.expected}`}`;
    case 'invalid_value':
      return oneOf(issue.values);
    case 'too_small':
      return bound(issue.origin, 'least', issue.minimum, issue.inclusive ?? true);
    case 'too_big':
      return bound(issue.origin, 'most', issue.maximum, issue.inclusive ?? true);
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`;
    case 'invalid_format':
      return badFormat(issue.format, issue.pattern);
    case 'invalid_key':
      return 'has a key that is not allowed';
    case 'invalid_element':
      return 'has an element that is not valid';
    case 'unrecognized_keys':
    case 'invalid_union':
    case 'custom':
      return 'is not valid';
    default:
      return issue satisfies never;
  }
}

function badFormat(format: string, pattern: string | undefined): string {
  if (format === 'datetime') return 'must be a time like 2026-01-31T10:00:00.000Z';
  if (format === 'date') return 'must be a date like 2026-01-31';
  return format === 'regex' && pattern !== undefined ? `must match ${pattern}` : `must be a valid ${format}`;
}

const TYPE_NAMES: Record<string, string> = {
  array: 'an array',
  boolean: 'true or false',
  int: 'an integer',
  null: 'null',
  number: 'a number',
  object: 'an object',
  record: 'an object',
  string: 'a string',
};

function oneOf(values: readonly unknown[]): string {
  const names = values.map((value) => (typeof value === 'bigint' ? String(value) : JSON.stringify(value)));
  return names.length === 1 ? `must be ${names[0]}` : `must be one of ${names.join(', ')}`;
}

function bound(origin: string, side: 'least' | 'most', limit: number | bigint, inclusive: boolean): string {
  if (origin === 'string') return lengthBound(side, limit, 'character');
  if (origin === 'array' || origin === 'set') return lengthBound(side, limit, 'element');
  if (inclusive) return `must be at ${side} ${limit}`;
  return `must be ${side === 'least' ? 'greater' : 'less'} than ${limit}`;
}

function lengthBound(side: 'least' | 'most', limit: number | bigint, unit: string): string {
  if (side === 'least' && Number(limit) === 1) return 'must not be empty';
  return `must have at ${side} ${limit} ${unit}${Number(limit) === 1 ? '' : 's'}`;
}

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  let value = input;
  for (const key of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Record<PropertyKey, unknown>)[key];
  }
  return value;
}

/** The fields an object schema knows at a path, through optional, nullable, default, lazy and array wrappers. */
function fieldsAt(schema: z.core.$ZodType, path: readonly PropertyKey[]): string[] {
  const found = path.reduce<z.core.$ZodType | undefined>((at, key) => at && step(unwrap(at), key), schema);
  const inner = found && unwrap(found);
  return inner instanceof z.ZodObject ? Object.keys(inner.shape) : [];
}

function step(schema: z.core.$ZodType, key: PropertyKey): z.core.$ZodType | undefined {
  if (schema instanceof z.ZodArray) return schema.element;
  if (schema instanceof z.ZodRecord) return schema.valueType;
  if (schema instanceof z.ZodObject) return schema.shape[String(key)];
  return undefined;
}

function unwrap(schema: z.core.$ZodType): z.core.$ZodType {
  if (schema instanceof z.ZodLazy) return unwrap(schema.unwrap());
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) return unwrap(schema.unwrap());
  if (schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault) return unwrap(schema.unwrap());
  return schema;
}

/** The candidate a person most likely meant, when one is close enough to be worth naming. */
function nearest(word: string, candidates: Iterable<string>): string | undefined {
  let best: string | undefined;
  let bestDistance = Math.min(3, Math.ceil(word.length / 3)) + 1;
  for (const candidate of candidates) {
    const away = distance(word.toLowerCase(), candidate.toLowerCase());
    if (away < bestDistance) [best, bestDistance] = [candidate, away];
  }
  return best;
}

export function didYouMean(word: string, candidates: Iterable<string>): string {
  const match = word.length > 100 ? undefined : nearest(word, candidates);
  return match === undefined ? '' : ` (did you mean ${match}?)`;
}

function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const swap = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(swap, row[j]! + 1, next[j - 1]! + 1));
    }
    row = next;
  }
  return row[b.length]!;
}

/** Where a value stands, the way issues name it: `agents[2].extends`, `agents/todo.json: extends`. */
export interface ConfigPath {
  /** Set for a file of its own; `parley.json` is left out because its paths speak for themselves. */
  readonly file?: string;
  /** What the empty path is called; default: `parley.json`. */
  readonly whole?: string;
  readonly path: readonly PropertyKey[];
}

export function configPathName(place: ConfigPath, ...more: PropertyKey[]): string {
  const path = pathName([...place.path, ...more]);
  if (place.file === undefined) return path === '' ? (place.whole ?? 'parley.json') : path;
  return path === '' ? `${place.file}:` : `${place.file}: ${path}`;
}

/** How one place speaks of another: the file, and where in it. */
export function configPathReference(place: ConfigPath): string {
  return place.file ?? `${pathName(place.path)} in parley.json`;
}

export function pathName(path: readonly PropertyKey[]): string {
  return path.reduce<string>((name, key) => name + segment(key, name === ''), '');
}

function segment(key: PropertyKey, first: boolean): string {
  if (typeof key === 'number') return `[${key}]`;
  const text = String(key);
  if (/^[A-Za-z_$][\w$-]*$/.test(text)) return first ? text : `.${text}`;
  return `[${JSON.stringify(text.slice(0, 100))}]`;
}
