import { isObject, type JsonObject } from './json.ts';

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
