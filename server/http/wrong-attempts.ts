import { AppError } from '../../contract/errors.ts';
import { say } from '../../contract/texts.ts';

const WINDOW_MS = 60_000;
const MOST_ADDRESSES = 1000;

/** Slows down guessing. What is right is never counted and never refused. */
export class WrongAttempts {
  readonly #limit: () => number;
  readonly #failures = new Map<string, { count: number; until: number }>();

  constructor(limit: () => number) {
    this.#limit = limit;
  }

  /** Notes a failure and gives the error to answer with: the given one, or after too many that there were too many. */
  failed(address: string | undefined, error: AppError): AppError {
    const now = Date.now();
    const failures = this.#of(address ?? '', now);
    failures.count += 1;
    if (failures.count <= this.#limit()) return error;
    const retryAfterSeconds = Math.max(1, Math.ceil((failures.until - now) / 1000));
    return new AppError('too_many_attempts', say('too_many_attempts', { seconds: retryAfterSeconds }), {
      retryAfterSeconds,
    });
  }

  #of(address: string, now: number): { count: number; until: number } {
    const known = this.#failures.get(address);
    if (known && known.until > now) return known;
    if (this.#failures.size >= MOST_ADDRESSES) this.#failures.clear();
    const fresh = { count: 0, until: now + WINDOW_MS };
    this.#failures.set(address, fresh);
    return fresh;
  }
}
