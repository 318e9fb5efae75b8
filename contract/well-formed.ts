/**
 * Reads JSON. Half of a surrogate pair, which JSON can spell as an escape, is no character, and no database, file or
 * request can hold it: it becomes U+FFFD here, so that everything that is stored is what was read.
 */
export function parseWellFormed(text: string): unknown {
  const value: unknown = JSON.parse(text);
  return SURROGATE_ESCAPE.test(text) ? wellFormed(value) : value;
}

const SURROGATE_ESCAPE = /\\u[dD][89a-fA-F]/;

function wellFormed(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed();
  if (Array.isArray(value)) return value.map(wellFormed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key.toWellFormed(), wellFormed(item)]));
}
