import { type Style, styleFor } from './style.ts';
import { safeJson } from './terminal-text.ts';

let style: Style | undefined;

/** How things look on stdout. */
export function look(): Style {
  style ??= styleFor(process.stdout);
  return style;
}

export function print(text = ''): void {
  process.stdout.write(`${text}\n`);
}

/** For the person, beside what a pipe carries on. */
export function note(text: string): void {
  process.stderr.write(`${text}\n`);
}

export function printJson(value: unknown): void {
  print(safeJson(value, 2));
}

/** `parley tail | head` closes our stdout: that is an end, not a failure. */
export function surviveClosedPipes(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EPIPE') process.exit(process.exitCode ?? 0);
      throw error;
    });
  }
}
