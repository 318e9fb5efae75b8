import { setTimeout as pause } from 'node:timers/promises';
import { type StreamResponse, type Task, TaskState } from '@a2a-js/sdk';
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
async function* resubscribe(peer: Peer, taskId: string, signal: AbortSignal): Events {
  const left = new AbortController();
  const options = { signal: AbortSignal.any([signal, left.signal]) };
  try {
    const events = peer.client.resubscribeTask({ tenant: '', id: taskId }, options);
    const arriving = events.next();
    arriving.catch(() => undefined);
    // What was said since the task was read, and before the stream was open, may be followed by nothing for long.
    const isQuiet = (await Promise.race([arriving, pause(SNAPSHOT_MS, QUIET)])) === QUIET;
    if (isQuiet) yield asResponse(await readTask(peer, taskId, signal));
    const first = await arriving;
    if (first.done) return;
    if (first.value.payload?.$case !== 'task')
      return yield* bySnapshots(peer, taskId, new Changes(first.value, events), signal);
    yield first.value;
    yield* events;
  } catch {
    signal.throwIfAborted();
  } finally {
    left.abort();
  }
}

/**
 * A stream that does not begin with the task has a hole before its first piece, and that piece may be known already. So its
 * pieces only say that the task is to be read again.
 */
async function* bySnapshots(peer: Peer, taskId: string, changes: Changes, signal: AbortSignal): Events {
  for (;;) {
    const { told, isChanged, isOver } = await changes.next(signal);
    yield* told;
    if (isChanged) yield asResponse(await readTask(peer, taskId, signal));
    if (isOver) return;
    await pause(SNAPSHOT_MS, undefined, { signal });
  }
}

const QUIET = Symbol('quiet');
const SNAPSHOT_MS = 250;
/** Of what a peer says it is doing, between two looks at the task. */
const MOST_TOLD = 1000;

/** What has come through a stream since it was last asked. */
class Changes {
  #told: StreamResponse[] = [];
  #isChanged = false;
  #isOver = false;
  #more = Promise.withResolvers<void>();

  constructor(first: StreamResponse, events: AsyncGenerator<StreamResponse, void, undefined>) {
    this.#note(first);
    this.#read(events).catch(() => this.#end());
  }

  async next(signal: AbortSignal): Promise<{ told: StreamResponse[]; isChanged: boolean; isOver: boolean }> {
    await this.#more.promise;
    signal.throwIfAborted();
    const changes = { told: this.#told, isChanged: this.#isChanged, isOver: this.#isOver };
    this.#told = [];
    this.#isChanged = false;
    if (!this.#isOver) this.#more = Promise.withResolvers();
    return changes;
  }

  async #read(events: AsyncGenerator<StreamResponse, void, undefined>): Promise<void> {
    for await (const event of events) this.#note(event);
    this.#end();
  }

  #note(event: StreamResponse): void {
    if (!isProgress(event)) this.#isChanged = true;
    else if (this.#told.length < MOST_TOLD) this.#told.push(event);
    this.#more.resolve();
  }

  #end(): void {
    this.#isOver = true;
    this.#more.resolve();
  }
}

/** What a peer is doing is told once, and is not in the task later. */
function isProgress({ payload }: StreamResponse): boolean {
  return payload?.$case === 'statusUpdate' && payload.value.status?.state === TaskState.TASK_STATE_WORKING;
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
