import { setTimeout as pause } from 'node:timers/promises';
import type { Task } from '@a2a-js/sdk';
import { AppError } from '../../../contract/errors.ts';
import type { SessionEvent } from '../../../contract/events.ts';
import type { Bus } from '../../events/bus.ts';
import type { Db, PushConfigRow } from '../../storage/tables.ts';
import { guardedFetch } from '../../tools/guarded-fetch.ts';
import { FetchFailure } from '../../tools/guarded-fetch-failure.ts';
import { deletePushConfig, savePushConfig, savePushTold, selectPushConfigs, selectUntoldTurns } from './push-store.ts';
import type { ReadDeps } from './read-task.ts';

/** Of one task. */
const MOST_CONFIGS = 10;
/** Tasks about which something is still to be told. */
const MOST_TASKS = 1000;
/** Requests at the same time. */
const MOST_REQUESTS = 8;
const BACKOFF_MS = [1000, 5000, 20_000, 60_000];
const TIMEOUT_MS = 10_000;
const MAX_ANSWER_BYTES = 64_000;

export interface PushDeps extends ReadDeps {
  readonly db: Db;
  readonly bus: Bus;
  /** Hosts in a private network that may be reached. */
  allowedHosts(): readonly string[];
  report(problem: string, error: unknown): void;
}

interface WatchedTask {
  readonly owner: string;
  /** Something has changed since it was last read. */
  isDue: boolean;
  isBusy: boolean;
}

/**
 * Tells clients of A2A how their tasks stand, each time that changes: the task as it is then, without its files. States that
 * pass while an address does not answer are not told later, the last one always is, after a restart too. What an address
 * does not take after a few attempts is given up.
 */
export class Pushes {
  readonly #deps: PushDeps;
  readonly #watched = new Map<string, WatchedTask>();
  readonly #stopped = new AbortController();
  readonly #slots = new Slots(MOST_REQUESTS);
  #unsubscribe = () => {};

  constructor(deps: PushDeps) {
    this.#deps = deps;
  }

  /** Goes on with what was not told before the server stopped. */
  async start(): Promise<void> {
    this.#unsubscribe = this.#deps.bus.subscribe({ event: ({ event }) => this.#note(event) });
    for (const { turn_id, owner } of await selectUntoldTurns(this.#deps.db)) this.#watch(turn_id, owner);
  }

  allowedHosts(): readonly string[] {
    return this.#deps.allowedHosts();
  }

  stop(): void {
    this.#unsubscribe();
    this.#stopped.abort();
  }

  async save(config: Omit<PushConfigRow, 'told' | 'created_at'>): Promise<boolean> {
    const known = await selectPushConfigs(this.#deps.db, config.turn_id);
    const isNew = !known.some(({ config_id }) => config_id === config.config_id);
    if (isNew && known.length >= MOST_CONFIGS) return false;
    if (!this.#watched.has(config.turn_id) && this.#watched.size >= MOST_TASKS) return false;
    const isSaved = await savePushConfig(this.#deps.db, { ...config, told: '', created_at: Date.now() });
    if (isSaved) this.#watch(config.turn_id, config.owner);
    return isSaved;
  }

  list(turnId: string): Promise<PushConfigRow[]> {
    return selectPushConfigs(this.#deps.db, turnId);
  }

  delete(turnId: string, configId: string): Promise<void> {
    return deletePushConfig(this.#deps.db, turnId, configId);
  }

  #note(event: SessionEvent): void {
    if (this.#watched.size === 0) return;
    const turnId = 'turn' in event ? event.turn.id : event.type === 'action.opened' ? event.action.turnId : null;
    const task = turnId === null ? undefined : this.#watched.get(turnId);
    if (task && turnId !== null) this.#look(turnId, task);
  }

  #watch(turnId: string, owner: string): void {
    const task = this.#watched.get(turnId) ?? { owner, isDue: false, isBusy: false };
    this.#watched.set(turnId, task);
    this.#look(turnId, task);
  }

  #look(turnId: string, task: WatchedTask): void {
    task.isDue = true;
    if (task.isBusy || this.#stopped.signal.aborted) return;
    task.isBusy = true;
    this.#tellAll(turnId, task).catch((error) => {
      if (!this.#stopped.signal.aborted) this.#deps.report('a push notification could not be sent', error);
    });
  }

  async #tellAll(turnId: string, task: WatchedTask): Promise<void> {
    try {
      while (task.isDue) {
        task.isDue = false;
        if (await this.#tellOnce(turnId, task.owner)) continue;
        this.#watched.delete(turnId);
      }
    } finally {
      task.isBusy = false;
    }
  }

  /** False when there is nothing more to tell. */
  async #tellOnce(turnId: string, owner: string): Promise<boolean> {
    const rows = (await selectPushConfigs(this.#deps.db, turnId)).filter(({ told }) => told !== null);
    const { readTask } = await import('./read-task.ts');
    const task = rows.length === 0 ? null : await readTask(this.#deps, owner, turnId).catch(nullIfGone);
    if (task === null) return false;
    const { isOver, key } = await standing(task);
    await Promise.all(rows.filter(({ told }) => told !== key).map((row) => this.#tell(row, task, isOver ? null : key)));
    return !isOver;
  }

  async #tell(row: PushConfigRow, task: Task, told: string | null): Promise<void> {
    const body = await bodyOf(task, row.version);
    for (let attempt = 0; ; attempt++) {
      const failure = await this.#slots.run(() => this.#post(row, body));
      if (failure?.mayPass && attempt < BACKOFF_MS.length) {
        await pause(BACKOFF_MS[attempt], undefined, { signal: this.#stopped.signal });
        continue;
      }
      if (failure) this.#deps.report(`a push notification was not taken: ${failure.words}`, undefined);
      return savePushTold(this.#deps.db, row, told);
    }
  }

  /** Null when it was taken. */
  async #post({ url, token, scheme, credentials, version }: PushConfigRow, body: string): Promise<Failure | null> {
    const headers = {
      'Content-Type': version === '0.3' ? 'application/json' : 'application/a2a+json',
      ...(token !== '' && { 'X-A2A-Notification-Token': token }),
      ...(scheme !== '' && { Authorization: `${scheme} ${credentials}`.trim() }),
    };
    const { signal } = this.#stopped;
    const bounds = { allowHosts: this.#deps.allowedHosts(), maxBytes: MAX_ANSWER_BYTES, timeoutMs: TIMEOUT_MS, signal };
    try {
      const { status } = await guardedFetch(url, { method: 'POST', headers, body, ...bounds });
      if (status >= 200 && status < 300) return null;
      return { words: `HTTP ${status}`, mayPass: status === 408 || status === 429 || status >= 500 };
    } catch (error) {
      if (!(error instanceof FetchFailure)) throw error;
      return { words: error.message, mayPass: error.code === 'unreachable' || error.code === 'timed_out' };
    }
  }
}

interface Failure {
  words: string;
  /** Whether trying again may help. */
  mayPass: boolean;
}

/** A state that is told once. */
async function standing({ status }: Task): Promise<{ isOver: boolean; key: string }> {
  const { TaskState } = await import('@a2a-js/sdk');
  const state = status?.state ?? TaskState.TASK_STATE_UNSPECIFIED;
  const ends = [TaskState.TASK_STATE_COMPLETED, TaskState.TASK_STATE_FAILED, TaskState.TASK_STATE_CANCELED];
  return { isOver: ends.includes(state), key: `${state} ${status?.message?.messageId ?? ''}` };
}

async function bodyOf(task: Task, version: PushConfigRow['version']): Promise<string> {
  const payload = { $case: 'task' as const, value: task };
  if (version === '0.3') {
    const { V03PushNotificationSerializer } = await import('@a2a-js/sdk/compat/v0_3/server');
    return String(new V03PushNotificationSerializer().serialize({ payload }).body);
  }
  const { StreamResponse } = await import('@a2a-js/sdk');
  return JSON.stringify(StreamResponse.toJSON({ payload }));
}

const GONE: ReadonlySet<string> = new Set(['turn_not_found', 'session_not_found']);

function nullIfGone(error: unknown): null {
  if (error instanceof AppError && GONE.has(error.code)) return null;
  throw error;
}

/** So many at once; the others wait for theirs, in order. */
class Slots {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(count: number) {
    this.#free = count;
  }

  async run<T>(act: () => Promise<T>): Promise<T> {
    if (this.#free === 0) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#free -= 1;
    try {
      return await act();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free += 1;
    }
  }
}
