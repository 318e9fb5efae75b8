import { setTimeout as sleep } from 'node:timers/promises';
import { findMarked, hasOnlyZombies } from './proc-files.ts';

/** Every program we start carries it and hands it on, so that a process that left the group can be found. */
export const MARK_VARIABLE = 'PARLEY_PROCESS';

const LONGEST_POLL_MS = 100;
const KILL_ROUNDS = 5;

export function signalGroup(pid: number, signal: NodeJS.Signals): void {
  signalOne(-pid, signal);
}

/** Waits until no process is left in the group, or the time is up. */
export async function groupIsGone(pid: number, withinMs: number): Promise<boolean> {
  const end = performance.now() + withinMs;
  for (let pause = 5; await isGroupAlive(pid); pause = Math.min(pause * 2, LONGEST_POLL_MS)) {
    const left = end - performance.now();
    if (left <= 0) return false;
    await sleep(Math.min(pause, left));
  }
  return true;
}

/**
 * Also processes that have made a session of their own: they are known by the variable, or by the file of the mark, which
 * they have open. Repeated, because one may have started another meanwhile.
 */
export async function killMarked(mark: string, markFile?: string): Promise<void> {
  for (let round = 0; round < KILL_ROUNDS; round++) {
    const pids = await findMarked({ variable: MARK_VARIABLE, value: mark, file: markFile });
    if (pids.length === 0) return;
    for (const pid of pids) signalOne(pid, 'SIGKILL');
  }
}

async function isGroupAlive(pid: number): Promise<boolean> {
  return exists(-pid) && !(await hasOnlyZombies(pid));
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function signalOne(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ESRCH' && code !== 'EPERM') throw error;
  }
}
