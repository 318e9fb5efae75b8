import type { ParleyClient } from '../../client/parley-client.ts';
import { EXIT_INTERRUPTED } from '../failure.ts';

/**
 * Ctrl-C while turns are waited for: the first stops them on the server and lets their end arrive, the second leaves at
 * once.
 */
export class TurnInterrupt {
  readonly #client: ParleyClient;
  #turnIds: readonly string[] = [];
  readonly #stopped = new Set<string>();
  #presses = 0;

  constructor(client: ParleyClient) {
    this.#client = client;
  }

  get happened(): boolean {
    return this.#presses > 0;
  }

  /** Until the server has accepted the message there is nothing to stop; then it is made up for. */
  aim(turnIds: readonly string[]): void {
    this.#turnIds = turnIds;
    if (this.happened) this.#stop();
  }

  async during<T>(work: () => Promise<T>): Promise<T> {
    const press = () => this.#press();
    process.on('SIGINT', press);
    try {
      return await work();
    } finally {
      process.off('SIGINT', press);
    }
  }

  #press(): void {
    this.#presses += 1;
    if (this.#presses > 1) process.exit(EXIT_INTERRUPTED);
    this.#stop();
  }

  #stop(): void {
    for (const turnId of this.#turnIds) {
      if (this.#stopped.has(turnId)) continue;
      this.#stopped.add(turnId);
      // If the server cannot be told, nobody can: leave.
      this.#client.cancelTurn(turnId).catch(() => process.exit(EXIT_INTERRUPTED));
    }
  }
}
