/** A part of the load that does one thing again and again. */
export interface Stretch {
  name: string;
  times: number;
  /** Microseconds of the monotonic clock, which is the profiler's. */
  from: number;
  to: number;
}

/** What is reported: a stretch, or what the second of two costs more than the first, each time. */
export interface Contrast {
  title: string;
  stretch: Stretch;
  without: Stretch | undefined;
}

/** Notes when which part of a load was under way. */
export class Stretches {
  readonly all: Stretch[] = [];
  readonly #onEdge: () => Promise<void>;

  /** `onEdge` is told before and after each. */
  constructor(onEdge: () => Promise<void> = async () => {}) {
    this.#onEdge = onEdge;
  }

  async during(name: string, times: number, work: () => Promise<void>): Promise<void> {
    await this.#onEdge();
    const from = nowUs();
    await work();
    this.all.push({ name, times, from, to: nowUs() });
    await this.#onEdge();
  }

  contrast(): Contrast {
    const [first, second] = this.all;
    if (!second) return { title: `one ${first!.name}`, stretch: first!, without: undefined };
    return { title: `${second.name}, in addition to one ${first!.name}`, stretch: second, without: first! };
  }
}

export function nowUs(): number {
  return Number(process.hrtime.bigint() / 1000n);
}
