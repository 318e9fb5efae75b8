import { isJsonTooDeep } from '../../contract/json-depth.ts';

/** Arguments in one line: `url=https://… status=open`. */
export function shortInput(input: string): string {
  const parsed = parse(input);
  if (parsed === null) return input;
  return Object.entries(parsed)
    .map(([key, value]) => `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(' ');
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
