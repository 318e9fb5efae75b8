import type { ParleyClient } from '../client/parley-client.ts';
import { EXIT_INTERRUPTED } from './failure.ts';

/**
 * Ctrl-C while a turn is waited for: the first stops the turn on the server and lets its end arrive, the second leaves
 * at once.
 */
export class TurnInterrupt {
  readonly #client: ParleyClient;
  #turnId: string | undefined;
  #presses = 0;

  constructor(client: ParleyClient) {
    this.#client = client;
  }

  get happened(): boolean {
    return this.#presses > 0;
  }

  /** Until the server has accepted the message there is nothing to stop; then it is made up for. */
  aim(turnId: string): void {
    if (this.#turnId === turnId) return;
    this.#turnId = turnId;
    if (this.happened) this.#cancel(turnId);
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
    if (this.#turnId) this.#cancel(this.#turnId);
  }

  #cancel(turnId: string): void {
    // If the server cannot be told, nobody can: leave.
    this.#client.cancelTurn(turnId).catch(() => process.exit(EXIT_INTERRUPTED));
  }
}
