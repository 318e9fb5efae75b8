/** However many deliveries and requests there are, an owner's pages look again at most so often. */
const PAUSE_MS = 300;

/** Tells open pages that webhooks, deliveries or requests have changed. */
export class WebhookChanges {
  readonly #tell: (owner: string) => void;
  readonly #owners = new Set<string>();
  #timer: NodeJS.Timeout | undefined;

  constructor(tell: (owner: string) => void) {
    this.#tell = tell;
  }

  note(owner: string): void {
    this.#owners.add(owner);
    this.#timer ??= setTimeout(() => this.#tellAll(), PAUSE_MS).unref();
  }

  #tellAll(): void {
    this.#timer = undefined;
    const owners = [...this.#owners];
    this.#owners.clear();
    for (const owner of owners) this.#tell(owner);
  }
}
