import { readFileSync } from 'node:fs';
import { pause } from './statistics.ts';

/** The most that other programs may use of all cores together for a measurement to mean something. */
const QUIET = 0.15;
const LOOK_MS = 500;

/** Waits for other programs to let the machine alone, but not for ever. Returns whether they did. */
export async function untilCalm(patienceMs: number): Promise<boolean> {
  const until = performance.now() + patienceMs;
  do if ((await busyShare()) <= QUIET) return true;
  while (performance.now() < until);
  return false;
}

/** Our own processes do nothing while this looks, so whatever is busy is somebody else. */
async function busyShare(): Promise<number> {
  const before = readTimes();
  await pause(LOOK_MS);
  const after = readTimes();
  const total = after.total - before.total;
  return total === 0 ? 0 : 1 - (after.idle - before.idle) / total;
}

/** Ticks of all cores since the machine started; waiting for a disk counts as idle. */
function readTimes(): { total: number; idle: number } {
  const [line = ''] = readFileSync('/proc/stat', 'utf8').split('\n');
  const ticks = line.split(/\s+/).slice(1, 9).map(Number);
  return { total: ticks.reduce((sum, count) => sum + count, 0), idle: (ticks[3] ?? 0) + (ticks[4] ?? 0) };
}
