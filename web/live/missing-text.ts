import { pause } from '../../client/backoff.ts';
import type { ParleyClient } from '../../client/parley-client.ts';
import { missesText, type SessionState } from '../../client/session-state.ts';
import type { SessionFrame } from './frames.ts';

const ATTEMPT_MS = 3000;
const PAUSE_MS = 250;

interface MissingTextDeps {
  readonly client: ParleyClient;
  readonly stateOf: (sessionId: string) => SessionState | undefined;
  /** Takes frames in and returns once they are applied. */
  readonly apply: (frames: readonly SessionFrame[]) => void;
  readonly signal: AbortSignal;
}

/**
 * Asks for what running turns have said so far. Only the beginning of a stream says it (`turn.partial`), so a stream of
 * the session is opened for as long as that takes.
 */
export class MissingText {
  readonly #deps: MissingTextDeps;
  readonly #asking = new Set<string>();

  constructor(deps: MissingTextDeps) {
    this.#deps = deps;
  }

  /** Asks again wherever a gap is left in what is known. */
  askWhereNeeded(sessionIds: Iterable<string>): void {
    for (const sessionId of new Set(sessionIds)) {
      const state = this.#deps.stateOf(sessionId);
      if (state && missesText(state)) void this.#askUntilWhole(sessionId);
    }
  }

  async #askUntilWhole(sessionId: string): Promise<void> {
    if (this.#asking.has(sessionId)) return;
    this.#asking.add(sessionId);
    try {
      while (this.#isMissing(sessionId)) {
        await this.#ask(sessionId).catch(() => undefined);
        if (this.#isMissing(sessionId)) await pause(PAUSE_MS, this.#deps.signal);
      }
    } catch {
      // The app is being closed.
    } finally {
      this.#asking.delete(sessionId);
    }
  }

  #isMissing(sessionId: string): boolean {
    const state = this.#deps.stateOf(sessionId);
    return state !== undefined && missesText(state) && !this.#deps.signal.aborted;
  }

  async #ask(sessionId: string): Promise<void> {
    const { client, stateOf, apply } = this.#deps;
    const { lastSeq: after, open } = stateOf(sessionId)!;
    const signal = AbortSignal.any([this.#deps.signal, AbortSignal.timeout(ATTEMPT_MS)]);
    let expected = open.length;
    for await (const frame of client.sessionEvents(sessionId, { after, signal })) {
      if ('sessionId' in frame && frame.type !== 'panel.command') apply([frame]);
      // Partials come before any delta: the first delta says that there are no more of them.
      if (frame.type === 'delta' || (frame.type === 'turn.partial' && --expected === 0)) return;
    }
  }
}
