import type { AgentDefinition, AgentPatch } from '../../../contract/agents.ts';
import { isObject, isSame, type JsonObject, type Path } from './json-value.ts';

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
