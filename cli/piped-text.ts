import { once } from 'node:events';
import { fstatSync, readFileSync } from 'node:fs';
import { note } from './output.ts';
import { readAll } from './read-all.ts';

const SAY_WAITING_MS = 1000;
/** How long a pipe may take to send its first byte. Scripts often leave a stdin open that is never used. */
const FIRST_BYTE_MS = 3000;

/** What a pipe or a file sends to stdin; empty where stdin is a terminal, closed, /dev/null or silent. */
export async function readPiped(): Promise<string> {
  if (!isPiped()) return '';
  const waiting = setTimeout(() => note('Reading the rest of the message from stdin…'), SAY_WAITING_MS);
  try {
    if (!(await beginsToSend())) return '';
    return await readAll(process.stdin);
  } finally {
    clearTimeout(waiting);
  }
}

function isPiped(): boolean {
  try {
    const stdin = fstatSync(0);
    return stdin.isFIFO() || stdin.isSocket() || (stdin.isFile() && isAtItsStart());
  } catch {
    return false;
  }
}

/** A file from which another program has read belongs to that program: to a loop of the shell, for example. */
function isAtItsStart(): boolean {
  try {
    return /^pos:\s*0$/m.test(readFileSync('/proc/self/fdinfo/0', 'utf8'));
  } catch {
    // Only Linux says where a file is being read.
    return true;
  }
}

async function beginsToSend(): Promise<boolean> {
  try {
    await once(process.stdin, 'readable', { signal: AbortSignal.timeout(FIRST_BYTE_MS) });
    return true;
  } catch {
    note('Nothing arrived on stdin; sending the message without it.');
    process.stdin.destroy();
    return false;
  }
}

/** The message first, then what was piped in, in a block that nothing inside it can close. */
export function withPiped(message: string, piped: string): string {
  if (piped.trim() === '') return message;
  const longest = Math.max(2, ...Array.from(piped.matchAll(/`+/g), ([ticks]) => ticks.length));
  const fence = '`'.repeat(longest + 1);
  const separator = message.trim() === '' ? '' : `${message}\n\n`;
  return `${separator}${fence}\n${piped.replace(/\n?$/, '\n')}${fence}`;
}
