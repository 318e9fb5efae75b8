import { readFileSync } from 'node:fs';

/** Sources and compiled files lie at different depths below the package's description. */
export function packageVersion(): string {
  for (const place of ['../package.json', '../../package.json']) {
    try {
      return JSON.parse(readFileSync(new URL(place, import.meta.url), 'utf8')).version;
    } catch {
      // The next place, then.
    }
  }
  return 'unknown';
}
