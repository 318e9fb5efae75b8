import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const MOST_LINES = 1000;

/** What was typed before, newest first as readline wants it. Long files are cut when they are read. */
export function readHistory(home: string): string[] {
  try {
    const lines = readFileSync(fileIn(home), 'utf8').split('\n').filter(Boolean);
    if (lines.length > 2 * MOST_LINES) rewrite(home, lines.slice(-MOST_LINES));
    return lines.slice(-MOST_LINES).reverse();
  } catch {
    return [];
  }
}

/** Only its owner can read it: it holds what was said. */
export function addToHistory(home: string, line: string): void {
  try {
    appendFileSync(fileIn(home), `${line}\n`, { mode: 0o600 });
  } catch {
    // A history that cannot be kept is no reason to stop talking.
  }
}

function rewrite(home: string, lines: readonly string[]): void {
  writeFileSync(fileIn(home), `${lines.join('\n')}\n`, { mode: 0o600 });
}

function fileIn(home: string): string {
  return path.join(home, 'history');
}
