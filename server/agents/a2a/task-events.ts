import { setTimeout as pause } from 'node:timers/promises';
import type { StreamResponse, Task } from '@a2a-js/sdk';
import { say } from '../../../contract/texts.ts';
import { toTurnError } from '../../../contract/turns.ts';
import { FetchFailure } from '../../tools/guarded-fetch-failure.ts';
import { TextAgentFailure } from '../text-agent.ts';
import type { Peer } from './peer.ts';

type Events = AsyncGenerator<StreamResponse, void, undefined>;

const POLL_MS = [250, 500, 1000, 2000, 5000];
/** How often in a row a peer may fail to say how a task stands. */
const MAX_FAILURES = 5;

/**
 * Follows a task that has begun: how it stands, then what comes, for as long as the reader reads. A peer that does not let
 * a client subscribe again is asked from time to time; what has not changed is not told again.
 */
export async function* followTask(peer: Peer, taskId: string, signal: AbortSignal): Events {
  const first = await readTask(peer, taskId, signal);
  yield asResponse(first);
  if (peer.streams) yield* resubscribe(peer, taskId, signal);
  yield* poll(peer, taskId, signal, JSON.stringify(first));
}

/** A peer may be away for a moment, as this server was. */
async function readTask({ client }: Peer, taskId: string, signal: AbortSignal): Promise<Task> {
  for (let failures = 1; ; failures++) {
    try {
      return await client.getTask({ tenant: '', id: taskId }, { signal });
    } catch (error) {
      if (!(error instanceof FetchFailure) || failures >= MAX_FAILURES) throw error;
      await pause(POLL_MS[failures], undefined, { signal });
    }
  }
}

/** A stream that breaks off, or that there is none, is no failure: the task is asked about instead. */
async function* resubscribe({ client }: Peer, taskId: string, signal: AbortSignal): Events {
  try {
    yield* client.resubscribeTask({ tenant: '', id: taskId }, { signal });
  } catch {
    signal.throwIfAborted();
  }
}

async function* poll({ client }: Peer, taskId: string, signal: AbortSignal, first: string): Events {
  let last = first;
  let failures = 0;
  for (let round = 0; ; round++) {
    await pause(POLL_MS[Math.min(round, POLL_MS.length - 1)], undefined, { signal });
    try {
      const task = await client.getTask({ tenant: '', id: taskId }, { signal });
      failures = 0;
      const now = JSON.stringify(task);
      if (now !== last) yield asResponse(task);
      last = now;
    } catch (error) {
      if (signal.aborted || ++failures >= MAX_FAILURES) throw error;
    }
  }
}

function asResponse(task: Task): StreamResponse {
  return { payload: { $case: 'task', value: task } };
}

/** Ends with a failure when nothing is told for too long. Signs of life without contents do not count. */
export async function* withinIdleTime<T>(events: AsyncGenerator<T>, idleMs: number): AsyncGenerator<T> {
  try {
    for (;;) {
      const { done, value } = await next(events, idleMs);
      if (done) return;
      yield value;
    }
  } finally {
    // A peer that is silent does not hold up the end.
    void events.return(undefined).catch(() => undefined);
  }
}

async function next<T>(events: AsyncGenerator<T>, idleMs: number): Promise<IteratorResult<T>> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(tooQuiet(idleMs)), idleMs);
  try {
    return await Promise.race([events.next(), late]);
  } finally {
    clearTimeout(timer);
  }
}

function tooQuiet(idleMs: number): TextAgentFailure {
  const seconds = Math.round(idleMs / 1000);
  return new TextAgentFailure(toTurnError('agent_idle', say('agent_idle', { seconds }), true));
}
