import type { WriteStream } from 'node:tty';
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

interface Style {
  /** Whether anything is coloured at all. */
  readonly on: boolean;
  bold(text: string): string;
  dim(text: string): string;
  red(text: string): string;
  /** What wants attention without being wrong. */
  amber(text: string): string;
  /** A speaker's name in the colour of its agent. */
  speaker(text: string, color: string | null | undefined): string;
}

/** Colours only for eyes: a terminal, unless NO_COLOR; anywhere with FORCE_COLOR. */
function styleFor(stream: WriteStream, env: NodeJS.ProcessEnv = process.env): Style {
  const depth = colorDepth(stream, env);
  const wrap = (codes: string) => (text: string) => (depth > 1 ? `\x1b[${codes}m${text}\x1b[0m` : text);
  return {
    on: depth > 1,
    bold: wrap('1'),
    dim: wrap('2'),
    red: wrap('31'),
    amber: wrap('33'),
    speaker: (text, color) => wrap(`1;${colorCodes(color, depth)}`)(text),
  };
}

function colorDepth(stream: WriteStream, env: NodeJS.ProcessEnv): number {
  if (env.NO_COLOR) return 1;
  const forced = env.FORCE_COLOR;
  if (forced !== undefined) return FORCED_DEPTH[forced] ?? 4;
  return stream.isTTY ? stream.getColorDepth(env) : 1;
}

const FORCED_DEPTH: Record<string, number> = { '0': 1, false: 1, '2': 8, '3': 24 };
const CYAN = '36';

function colorCodes(color: string | null | undefined, depth: number): string {
  const channels = color
    ?.match(/^#(..)(..)(..)$/)
    ?.slice(1)
    .map((pair) => Number.parseInt(pair, 16));
  if (!channels || depth < 8) return CYAN;
  if (depth >= 24) return `38;2;${channels.join(';')}`;
  const [red = 0, green = 0, blue = 0] = channels.map((channel) => Math.round((channel / 255) * 5));
  return `38;5;${16 + 36 * red + 6 * green + blue}`;
}
