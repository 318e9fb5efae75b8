import { setTimeout as pause } from 'node:timers/promises';
import { type AnnounceWait, isAway, PeerAway } from './patient-fetch.ts';

const FIRST_WAIT_MS = 250;
const LAST_WAIT_MS = 15_000;

/** How long to wait before something is looked at once more, the first time and each time after that. */
export function growingWaitMs(round: number): number {
  return Math.min(FIRST_WAIT_MS * 1.5 ** round, LAST_WAIT_MS);
}

/** How long a peer that works on a task has been away. It is waited for, but not for ever. */
export class Absence {
  readonly #mostMs: number;
  readonly #signal: AbortSignal;
  readonly #announce: AnnounceWait;
  #since: number | undefined;
  #waits = 0;

  constructor(mostMs: number, signal: AbortSignal, announce: AnnounceWait) {
    this.#mostMs = mostMs;
    this.#signal = signal;
    this.#announce = announce;
  }

  /** The peer has been heard. */
  end(): void {
    this.#since = undefined;
    this.#waits = 0;
  }

  /** Waits before the peer is tried again. Throws the error when it has been away for too long. */
  async wait(error: unknown): Promise<void> {
    const now = performance.now();
    this.#since ??= now;
    const leftMs = this.#since + this.#mostMs - now;
    if (leftMs <= 0) throw error;
    const away = error instanceof PeerAway ? error : undefined;
    const waitMs = Math.min(Math.max(away?.askedMs ?? 0, growingWaitMs(this.#waits++)), leftMs);
    this.#announce(away?.code ?? 'agent_unreachable', waitMs);
    await pause(waitMs, undefined, { signal: this.#signal });
  }
}

/** Tries until a peer that is away is there again. */
export async function untilThere<T>(absence: Absence, act: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await act();
    } catch (error) {
      if (!isAway(error)) throw error;
      await absence.wait(error);
    }
  }
}
