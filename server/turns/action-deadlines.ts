import type { ActionRow } from '../storage/tables.ts';

/**
 * When open actions expire, by the time this process has been up: setting the machine's clock expires none of them. What
 * was open at the start has the time that was left to it then.
 */
export class ActionDeadlines {
  readonly #startedAt = Date.now();
  readonly #startUptime = performance.now();
  /** Of actions opened in this process, by id. */
  readonly #uptimes = new Map<string, number>();

  begin(id: string, seconds: number): void {
    this.#uptimes.set(id, performance.now() + seconds * 1000);
  }

  /** Of all open actions that expire, those whose time is up. */
  overdue(open: readonly ActionRow[]): ActionRow[] {
    const ids = new Set(open.map(({ id }) => id));
    for (const id of this.#uptimes.keys()) if (!ids.has(id)) this.#uptimes.delete(id);
    return open.filter((action) => performance.now() >= this.#deadlineOf(action));
  }

  #deadlineOf({ id, expires_at }: ActionRow): number {
    return this.#uptimes.get(id) ?? this.#startUptime + (expires_at ?? Infinity) - this.#startedAt;
  }
}
