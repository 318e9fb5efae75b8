type Labels = Record<string, string>;

/** A number that only rises, kept apart by labels. */
class Counter {
  readonly name: string;
  readonly help: string;
  readonly #values = new Map<string, number>();

  constructor(name: string, help: string) {
    this.name = name;
    this.help = help;
  }

  add(amount: number, labels: Labels = {}): void {
    const key = formatLabels(labels);
    this.#values.set(key, (this.#values.get(key) ?? 0) + amount);
  }

  write(): string[] {
    const samples = Array.from(this.#values, ([labels, value]) => `${this.name}${labels} ${value}`);
    return [`# HELP ${this.name} ${this.help}`, `# TYPE ${this.name} counter`, ...samples];
  }
}

/** What the server tells Prometheus. Gauges are read when they are asked for. */
export class Metrics {
  readonly requests = new Counter('parley_http_requests_total', 'Requests answered.');
  readonly turns = new Counter('parley_turns_total', 'Turns settled, by state.');
  readonly tokens = new Counter('parley_tokens_total', 'Tokens used, by direction.');
  readonly refusals = new Counter('parley_refusals_total', 'Requests refused before a route, by code.');
  readonly #gauges: { name: string; help: string; read: () => number }[] = [];

  gauge(name: string, help: string, read: () => number): void {
    this.#gauges.push({ name, help, read });
  }

  write(): string {
    const counters = [this.requests, this.turns, this.tokens, this.refusals].flatMap((counter) => counter.write());
    const gauges = this.#gauges.flatMap(({ name, help, read }) => [
      `# HELP ${name} ${help}`,
      `# TYPE ${name} gauge`,
      `${name} ${read()}`,
    ]);
    return `${[...counters, ...gauges].join('\n')}\n`;
  }
}

function formatLabels(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${value.replace(/["\\\n]/g, '_')}"`);
  return pairs.length > 0 ? `{${pairs.join(',')}}` : '';
}
