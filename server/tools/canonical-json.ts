const MOST_DEPTH = 32;

/** The same text for the same value, however its keys were ordered. Throws when it is nested too deeply. */
export function canonicalJson(value: unknown, depth = 0): string {
  if (depth > MOST_DEPTH) throw new Error(`its description is nested more than ${MOST_DEPTH} levels deep`);
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item, depth + 1)).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  entries.sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${canonicalJson(item, depth + 1)}`).join(',')}}`;
}
