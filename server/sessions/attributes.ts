import { AppError } from '../../contract/errors.ts';
import { isScratch } from '../../contract/scratch.ts';
import type { Attributes } from '../../contract/sessions.ts';
import { say } from '../../contract/texts.ts';

const FORBIDDEN_KEYS = new Set(['__proto__', 'constructor', 'prototype']);
const MAX_BYTES = 64_000;

/** Deep merge of plain objects: arrays replace, `null` deletes. Safe against keys that reach a prototype. */
export function mergeAttributes(current: Attributes, changes: Attributes): Attributes {
  const merged = mergeObjects(current, changes);
  if (JSON.stringify(merged).length > MAX_BYTES) {
    throw new AppError('invalid_request', say('invalid_request.attributes', { limit: MAX_BYTES }));
  }
  return merged;
}

/** Of a copy that is meant to stay, whatever was only tried in the original. */
export function withoutScratch(attributes: Attributes): Attributes {
  if (!isScratch({ attributes })) return attributes;
  const { scratch: _, ...kept } = attributes;
  return kept;
}

function mergeObjects(current: Attributes, changes: Attributes): Attributes {
  const merged: Attributes = { ...current };
  for (const [key, value] of Object.entries(changes)) {
    if (FORBIDDEN_KEYS.has(key)) throw new AppError('invalid_request', say('invalid_request.attributeKey', { key }));
    if (value === null) delete merged[key];
    else if (isPlain(value)) merged[key] = mergeObjects(isPlain(merged[key]) ? merged[key] : {}, value);
    else merged[key] = value;
  }
  return merged;
}

function isPlain(value: unknown): value is Attributes {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
