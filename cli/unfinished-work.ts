import { setTimeout as sleep } from 'node:timers/promises';
import type { ParleyClient } from '../client/parley-client.ts';
import type { RunningServer } from '../server/main.ts';
import { counted } from './counted.ts';

type WorkingTurn = ReturnType<RunningServer['working']>[number];

import { EXIT_INTERRUPTED } from './failure.ts';
import { note } from './output.ts';
import { safeLine } from './terminal-text.ts';

const LOOK_MS = 60;
/** A turn that ends may start the next one a moment later, so one empty look does not count. */
const QUIET_LOOKS = 3;
const CANCEL_MS = 5000;

/**
 * Without a server, what agents have started runs in this process: async delegates, and commands in the
 * background. The process stays until they are over. Ctrl-C cancels them.
 */
export async function waitForWork(server: RunningServer, client: ParleyClient): Promise<void> {
  const told = new Set<string>();
  const stop = new AbortController();
  const onInterrupt = () => stop.abort();
  process.on('SIGINT', onInterrupt);
  try {
    for (let quiet = 0; quiet < QUIET_LOOKS && !stop.signal.aborted; await pause(stop.signal)) {
      const working = server.working();
      quiet = working.length === 0 ? quiet + 1 : 0;
      announce(working, told);
    }
    if (stop.signal.aborted) await cancelAll(server, client);
  } finally {
    process.off('SIGINT', onInterrupt);
  }
}

function announce(working: readonly WorkingTurn[], told: Set<string>): void {
  const fresh = working.filter(({ turnId }) => !told.has(turnId));
  for (const { turnId } of fresh) told.add(turnId);
  const them = fresh.length === 1 ? 'it' : 'them';
  if (fresh.length > 0)
    note(`Waiting for ${counted(fresh.length, 'task')} to finish: ${namesOf(fresh)}. Press Ctrl-C to cancel ${them}.`);
}

/** Through the callers, so that none of them is told of it and starts another turn. */
async function cancelAll(server: RunningServer, client: ParleyClient): Promise<void> {
  const names = namesOf(server.working());
  for (const deadline = Date.now() + CANCEL_MS; server.working().length > 0 && Date.now() < deadline; ) {
    const callers = new Set(server.working().map(({ cancelWith }) => cancelWith));
    await Promise.allSettled([...callers].map((turnId) => client.call('cancelTurn', { turnId })));
    await sleep(LOOK_MS);
  }
  if (names !== '') note(`Stopped waiting. ${names} had not finished and was cancelled.`);
  process.exitCode = EXIT_INTERRUPTED;
}

function namesOf(working: readonly WorkingTurn[]): string {
  return [...new Set(working.map(({ agentId, title }) => safeLine(title ?? agentId)))].join(', ');
}

async function pause(signal: AbortSignal): Promise<void> {
  await sleep(LOOK_MS, undefined, { signal }).catch(() => undefined);
}
