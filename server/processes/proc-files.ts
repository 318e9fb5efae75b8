import { readFileSync } from 'node:fs';
import { readdir, readFile, readlink } from 'node:fs/promises';

/** When a process was started, in clock ticks since the machine was; null where there is no `/proc`, or no process. */
export function startTimeOf(pid: number): string | null {
  try {
    return fieldsOf(readFileSync(`/proc/${pid}/stat`, 'utf8'))[START_TIME] ?? null;
  } catch {
    return null;
  }
}

/** The number under which programs inherit the file of their mark. */
export const MARK_DESCRIPTOR = 63;

const STATE = 0;
const GROUP = 2;
const START_TIME = 19;

/** The name comes second, in parentheses, and may hold anything; what follows it is separated by spaces. */
function fieldsOf(stat: string): string[] {
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

/** Whether only zombies are left of a group: ended, but not yet waited for. False where there is no `/proc`. */
export async function hasOnlyZombies(group: number): Promise<boolean> {
  const pids = await listPids();
  for (const pid of pids) {
    const fields = fieldsOf(await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => ''));
    if (Number(fields[GROUP]) === group && fields[STATE] !== 'Z' && fields[STATE] !== 'X') return false;
  }
  return pids.length > 0;
}

/** Ticks mean something only until the machine is started again. */
export function bootId(): string | null {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return null;
  }
}

export interface Mark {
  readonly variable: string;
  readonly value: string;
  /** A file that the process has open, if it does not have the variable. */
  readonly file?: string | undefined;
}

/** Every process that was started with this variable, or has inherited the open file. */
export async function findMarked({ variable, value, file }: Mark): Promise<number[]> {
  const wanted = `\0${variable}=${value}\0`;
  const found: number[] = [];
  for (const pid of await listPids()) {
    if (pid === process.pid) continue;
    const isMarked = (await environmentOf(pid)).includes(wanted) || (file !== undefined && (await hasOpen(pid, file)));
    if (isMarked) found.push(pid);
  }
  return found;
}

async function hasOpen(pid: number, file: string): Promise<boolean> {
  const open = await readlink(`/proc/${pid}/fd/${MARK_DESCRIPTOR}`).catch(() => '');
  return open === file || open === `${file} (deleted)`;
}

async function environmentOf(pid: number): Promise<string> {
  return `\0${await readFile(`/proc/${pid}/environ`, 'latin1').catch(() => '')}`;
}

async function listPids(): Promise<number[]> {
  const entries = await readdir('/proc').catch(() => []);
  return entries.map(Number).filter(Number.isInteger);
}
