import { setTimeout as pause } from 'node:timers/promises';
import { type StreamResponse, type Task, TaskState } from '@a2a-js/sdk';
import { Absence, growingWaitMs, untilThere } from './absence.ts';
import { isAway } from './patient-fetch.ts';
import type { Peer } from './peer.ts';
import { QUIET, untilQuiet, within } from './silence.ts';

type Events = AsyncGenerator<StreamResponse, void, undefined>;

/** How often in a row a peer may say something else than how a task stands. */
const MAX_FAILURES = 5;

/**
 * Follows a task that has begun, for as long as the reader reads: how it stands, then what comes. Where the peer lets a
 * client subscribe again, its stream is followed, and the task is read again whenever that ends or is silent for too long;
 * elsewhere the peer is asked from time to time. What has not changed is not told again.
 */
export async function* followTask(peer: Peer, taskId: string, signal: AbortSignal): Events {
  const task = new WatchedTask(peer, taskId, signal);
  let canSubscribe = peer.streams;
  for (let round = 0; ; round++) {
    const news = await task.read();
    if (news.length > 0) round = 0;
    yield* news;
    if (canSubscribe) canSubscribe = yield* subscribe(task);
    await pause(growingWaitMs(round), undefined, { signal });
  }
}

/** How a task stands, read as often as is needed. */
class WatchedTask {
  readonly peer: Peer;
  readonly id: string;
  readonly signal: AbortSignal;
  readonly #absence: Absence;
  #last = '';

  constructor(peer: Peer, id: string, signal: AbortSignal) {
    this.peer = peer;
    this.id = id;
    this.signal = signal;
    this.#absence = new Absence(peer.awayMs, signal, peer.announce);
  }

  /** Empty when nothing has changed since the last time. */
  async read(): Promise<StreamResponse[]> {
    const task = await untilThere(this.#absence, () => this.#ask());
    this.#absence.end();
    const now = JSON.stringify(task);
    if (now === this.#last) return [];
    this.#last = now;
    return [{ payload: { $case: 'task', value: task } }];
  }

  /** A peer that does not know the task when it is first asked will not know it later. */
  async #ask(): Promise<Task> {
    for (let failures = 1; ; failures++) {
      try {
        return await this.peer.client.getTask({ tenant: '', id: this.id }, { signal: this.signal });
      } catch (error) {
        if (this.signal.aborted || isAway(error) || this.#last === '' || failures >= MAX_FAILURES) throw error;
        await pause(growingWaitMs(failures), undefined, { signal: this.signal });
      }
    }
  }
}

/** What comes through a stream, until it ends or is silent for too long. The return value: whether to try one again. */
async function* subscribe(task: WatchedTask): AsyncGenerator<StreamResponse, boolean> {
  const { peer, signal } = task;
  const left = new AbortController();
  let isOpen = false;
  try {
    const options = { signal: AbortSignal.any([signal, left.signal]) };
    const events = peer.client.resubscribeTask({ tenant: '', id: task.id }, options);
    const arriving = events.next();
    arriving.catch(() => undefined);
    // What was said since the task was read, and before the stream was open, may be followed by nothing for long.
    if ((await within(SNAPSHOT_MS, arriving)) === QUIET) yield* await task.read();
    const first = await within(peer.quietMs, arriving);
    if (first === QUIET) return true;
    if (first.done) return false;
    isOpen = true;
    if (first.value.payload?.$case !== 'task') yield* bySnapshots(task, new Changes(first.value, events));
    else {
      yield first.value;
      yield* untilQuiet(events, { ms: peer.quietMs, waitsUntil: peer.waitsUntil });
    }
    return true;
  } catch (error) {
    signal.throwIfAborted();
    return isOpen || isAway(error);
  } finally {
    left.abort();
  }
}

/**
 * A stream that does not begin with the task has a hole before its first piece, and that piece may be known already. So its
 * pieces only say that the task is to be read again.
 */
async function* bySnapshots(task: WatchedTask, changes: Changes): Events {
  const { peer, signal } = task;
  for (;;) {
    const next = await within(peer.quietMs, changes.next(signal));
    if (next === QUIET) return;
    yield* next.told;
    if (next.isChanged) yield* await task.read();
    if (next.isOver) return;
    await pause(SNAPSHOT_MS, undefined, { signal });
  }
}

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
