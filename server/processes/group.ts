import { setTimeout as sleep } from 'node:timers/promises';
import { findByVariable, hasOnlyZombies } from './proc-files.ts';

/** Every program we start carries it, and hands it on, so that whoever has left its group can still be found. */
export const MARK_VARIABLE = 'PARLEY_PROCESS';

const LONGEST_POLL_MS = 100;
const KILL_ROUNDS = 5;

export function signalGroup(pid: number, signal: NodeJS.Signals): void {
  signalOne(-pid, signal);
}

/** Until nobody is left in the group, or the time is up. */
export async function groupIsGone(pid: number, withinMs: number): Promise<boolean> {
  const end = performance.now() + withinMs;
  for (let pause = 5; await isGroupAlive(pid); pause = Math.min(pause * 2, LONGEST_POLL_MS)) {
    const left = end - performance.now();
    if (left <= 0) return false;
    await sleep(Math.min(pause, left));
  }
  return true;
}

/** Also those who have made a session of their own. Repeated, because one may have made another meanwhile. */
export async function killMarked(mark: string): Promise<void> {
  for (let round = 0; round < KILL_ROUNDS; round++) {
    const pids = await findByVariable(MARK_VARIABLE, mark);
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
