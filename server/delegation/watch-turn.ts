import type { EventLog } from '../events/log.ts';
import type { TurnRow } from '../storage/tables.ts';
import { findTurn } from '../turns/store.ts';

export interface Watch {
  /** Null: as long as it takes. */
  timeoutMs: number | null;
  signal: AbortSignal;
  /** It waits for a person, or no longer does. That time is the person's and does not count. */
  onWaiting(isWaiting: boolean): void;
}

/** Resolves with the turn when it is over, with `timeout` when that takes too long, with null when it is gone. */
export async function watchTurn(log: EventLog, turn: TurnRow, watch: Watch): Promise<TurnRow | 'timeout' | null> {
  const { promise, resolve, reject } = Promise.withResolvers<'over' | 'timeout'>();
  const clock = new Clock(watch.timeoutMs, () => resolve('timeout'));
  const stop = () => reject(watch.signal.reason);
  const note = (isWaiting: boolean) => {
    clock.pause(isWaiting);
    watch.onWaiting(isWaiting);
  };
  const unsubscribe = log.bus.subscribeSession(turn.session_id, {
    event: ({ event }) => {
      if (event.type === 'session.cleared' || event.type === 'session.deleted') resolve('over');
      if (!('turn' in event) || event.turn.id !== turn.id) return;
      if (event.type === 'turn.settled') resolve('over');
      if (event.type === 'turn.waiting' || event.type === 'turn.resumed') note(event.type === 'turn.waiting');
    },
  });
  watch.signal.addEventListener('abort', stop, { once: true });
  try {
    // The turn may have changed its state before the listener was added.
    const now = await findTurn(log.db, turn.id);
    if (watch.signal.aborted) throw watch.signal.reason;
    if (!now || now.ended_at !== null) return now ?? null;
    if (now.state === 'waiting') note(true);
    return (await promise) === 'timeout' ? 'timeout' : ((await findTurn(log.db, turn.id)) ?? null);
  } finally {
    clock.pause(true);
    unsubscribe();
    watch.signal.removeEventListener('abort', stop);
  }
}

/** A time limit that can be held. */
class Clock {
  readonly #onEnd: () => void;
  #left: number | null;
  #since = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(ms: number | null, onEnd: () => void) {
    this.#left = ms;
    this.#onEnd = onEnd;
    this.pause(false);
  }

  pause(isPaused: boolean): void {
    if (this.#left === null || isPaused === (this.#timer === undefined)) return;
    if (isPaused) {
      clearTimeout(this.#timer);
      this.#timer = undefined;
      this.#left -= performance.now() - this.#since;
      return;
    }
    this.#since = performance.now();
    this.#timer = setTimeout(this.#onEnd, Math.min(Math.max(0, this.#left), 2 ** 31 - 1));
  }
}
