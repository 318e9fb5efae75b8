import { isJsonTooDeep } from '../../contract/json-depth.ts';

/** Arguments that say by themselves what a call is about. */
const OBVIOUS = ['command', 'question', 'path', 'url', 'query'];

/** Arguments in one line: `https://… status=open`. The only one, or the one that a call is about, without its name. */
export function shortInput(input: string): string {
  const parsed = parse(input);
  if (parsed === null) return input;
  const entries = Object.entries(parsed);
  const obvious = entries.length === 1 ? entries[0]![0] : OBVIOUS.find((name) => name in parsed);
  return entries
    .map(([name, value]) => (name === obvious && value !== '' ? wordsOf(value) : `${name}=${wordsOf(value)}`))
    .join(' ');
}

function wordsOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
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
