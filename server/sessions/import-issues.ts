import type { z } from 'zod';

/** `messages[3].role must be "user" or "assistant"` */
export function describeIssue(issue: z.core.$ZodIssue, body: unknown): string {
  const where = placeOf(issue.path);
  if (issue.code === 'unrecognized_keys') return `${where} must not have the field ${issue.keys.join(', ')}`;
  if (valueAt(body, issue.path) === undefined) return `${where} is missing`;
  return `${where} ${whatIsWanted(issue)}`;
}

export function placeOf(path: readonly PropertyKey[]): string {
  const place = path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`)).join('');
  return place.replace(/^\./, '') || 'the file';
}

function whatIsWanted(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${TYPES[issue.expected] ?? issue.expected}`;
    case 'invalid_value':
      return `must be ${issue.values.map((value) => JSON.stringify(value)).join(' or ')}`;
    case 'invalid_format':
      return issue.format === 'datetime' ? 'must be a time like 2026-01-31T10:00:00.000Z' : issue.message;
    case 'too_small':
      return `must have at least ${issue.minimum}`;
    case 'too_big':
      return `must have at most ${issue.maximum}`;
    default:
      return 'is not valid';
  }
}

const TYPES: Record<string, string> = {
  array: 'an array',
  boolean: 'true or false',
  int: 'an integer',
  null: 'null',
  number: 'a number',
  object: 'an object',
  record: 'an object',
  string: 'a string',
};

function valueAt(body: unknown, path: readonly PropertyKey[]): unknown {
  let value = body;
  for (const key of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Record<PropertyKey, unknown>)[key];
  }
  return value;
}
