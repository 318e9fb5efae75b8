const MOST_LINES = 2000;

/** What an edit would change, line by line, for a person who is asked about it. The parts that stay are not known here. */
export function diffOf(file: string, before: string, after: string): string {
  const removed = before === '' ? [] : before.split('\n').map((line) => `-${line}`);
  const added = after === '' ? [] : after.split('\n').map((line) => `+${line}`);
  const lines = [`--- ${file}`, `+++ ${file}`, ...removed, ...added];
  if (lines.length <= MOST_LINES) return lines.join('\n');
  return [...lines.slice(0, MOST_LINES), `[${lines.length - MOST_LINES} more lines]`].join('\n');
}
