import type { AgentDefinition, AgentPatch } from '../../../contract/agents.ts';

export type JsonValue = string | number | boolean | null | JsonValue[] | JsonObject;
export interface JsonObject {
  [key: string]: JsonValue;
}

export type Path = readonly (string | number)[];

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (inner, key) =>
      typeof inner === 'object' && inner !== null ? (inner as Record<string | number, unknown>)[key] : undefined,
    value,
  );
}

/** `chat.model`, `toolAllowlist[0]`. */
export function pathName(path: Path): string {
  return path.reduce<string>((name, key) => {
    if (typeof key === 'number') return `${name}[${key}]`;
    return name === '' ? key : `${name}.${key}`;
  }, '');
}

export function isSame(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && a.every((item, at) => isSame(item, b[at]));
  if (!isObject(a) || !isObject(b)) return false;
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && isSame(a[key], b[key]));
}

/** `unset`: as inherited, else unrestricted. `free`: unrestricted, whatever is inherited. `nothing`: the empty list. */
export type ListMode = 'unset' | 'free' | 'nothing' | 'these';

export function modeOf(value: unknown): ListMode {
  if (value === undefined) return 'unset';
  if (!Array.isArray(value)) return 'free';
  return value.length === 0 ? 'nothing' : 'these';
}

/** What a list becomes when another mode is chosen; what was listed is kept as long as it can be. */
export function valueFor(mode: ListMode, lines: readonly string[]): string[] | null | undefined {
  switch (mode) {
    case 'unset':
      return undefined;
    case 'free':
      return null;
    case 'nothing':
      return [];
    case 'these':
      return lines.length > 0 ? [...lines] : ['*'];
    default:
      return mode satisfies never;
  }
}

export function linesOf(text: string): string[] {
  return text
    .split(/[\n,]/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

/** `NAME=value`, one a line. `hasFlags`: `true` and `false` are flags, not words. */
export function readPairs(text: string, hasFlags = false): JsonObject | undefined {
  const pairs = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .map((line): [string, JsonValue] => {
      const at = line.indexOf('=');
      return at < 0 ? [line, ''] : [line.slice(0, at).trim(), pairValue(line.slice(at + 1).trim(), hasFlags)];
    });
  return pairs.length > 0 ? Object.fromEntries(pairs) : undefined;
}

function pairValue(written: string, hasFlags: boolean): JsonValue {
  const isFlag = hasFlags && (written === 'true' || written === 'false');
  return isFlag ? written === 'true' : written;
}

export function writePairs(value: unknown): string {
  if (!isObject(value)) return '';
  return Object.entries(value)
    .map(([name, one]) => `${name}=${String(one)}`)
    .join('\n');
}

/** Sent as a whole: of these patterns the order counts. */
const WHOLE = new Set(['approvals']);

/** What makes one definition of the other: changed fields as they are, cleared ones as `null`. */
export function toPatch(before: AgentDefinition | JsonObject, after: AgentDefinition | JsonObject): AgentPatch {
  const { agentId: _, ...patch } = changes(before as JsonObject, after as JsonObject);
  return patch as AgentPatch;
}

function changes(before: JsonObject, after: JsonObject): JsonObject {
  const patch: JsonObject = {};
  for (const key of Object.keys(before)) if (!Object.hasOwn(after, key)) patch[key] = null;
  for (const [key, value] of Object.entries(after)) {
    const old = before[key];
    if (isSame(old, value) && isSameOrder(key, old, value)) continue;
    patch[key] = isObject(value) && isObject(old) && !WHOLE.has(key) ? changes(old, value) : value;
  }
  return patch;
}

function isSameOrder(key: string, before: unknown, after: unknown): boolean {
  if (!WHOLE.has(key) || !isObject(before) || !isObject(after)) return true;
  return isSame(Object.keys(before), Object.keys(after));
}

export interface Difference {
  readonly path: Path;
  readonly theirs: unknown;
  readonly mine: unknown;
}

/** Where two definitions say different things, field by field. */
export function differences(theirs: object, mine: object, at: Path = []): Difference[] {
  const [a, b] = [theirs as JsonObject, mine as JsonObject];
  return [...new Set([...Object.keys(a), ...Object.keys(b)])].flatMap((key) => {
    if (isSame(a[key], b[key])) return [];
    const path = [...at, key];
    if (isObject(a[key]) && isObject(b[key])) return differences(a[key], b[key], path);
    return [{ path, theirs: a[key], mine: b[key] }];
  });
}
