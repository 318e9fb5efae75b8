import type { Bench, Measurement } from '../bench.ts';
import { inParallel } from '../load/calls.ts';
import { Connection, type WireRequest } from '../load/connection.ts';
import { median } from '../load/statistics.ts';
import { Tally } from '../load/tally.ts';
import { compare, type Row } from '../report.ts';
import { Bare } from '../sides/bare.ts';
import { ask } from '../sides/model.ts';
import { Parley } from '../sides/parley.ts';
import type { Side } from '../sides/side.ts';

const TURNS_PER_CONVERSATION = 10;
const TOKENS = 20;
const BATCH = 50;
/** As an agent is when nobody says what it may use. */
const EQUIPPED = 'parley with every tool';

/** One turn at a time: how long until the first token, and what the turn costs the server. */
export const shortTurns: Measurement = {
  name: 'short-turns',
  about: 'time to first token and CPU of a short turn',
  async run(bench) {
    const sides = [
      await Bare.start({ modelUrl: bench.model.url, sqlite: false }),
      await Bare.start({ modelUrl: bench.model.url, sqlite: true }),
      await Parley.start({ modelUrl: bench.model.url }),
      await Parley.start({ modelUrl: bench.model.url, name: EQUIPPED, agent: {} }),
    ];
    try {
      return toRows(await measure(bench, sides));
    } finally {
      for (const side of sides) await side.stop();
    }
  },
};

interface Figures {
  direct: number[];
  firstMs: Map<string, number[]>;
  cpuMs: Map<string, number[]>;
  requestBytes: Map<string, number>;
}

async function measure(bench: Bench, sides: Side[]): Promise<Figures> {
  const speakers = await Promise.all(sides.map((side) => Speaker.start(side)));
  const direct = new Connection(bench.model.child.port);
  const figures: Figures = { direct: [], firstMs: new Map(), cpuMs: new Map(), requestBytes: new Map() };
  for (const speaker of speakers) await speaker.batch(bench.quick ? 100 : 300);
  for (let round = 0; round < (bench.quick ? 5 : 12); round++) {
    for (const speaker of round % 2 === 0 ? speakers : speakers.toReversed()) {
      const { cpuMs, firstMs } = await speaker.batch(BATCH);
      push(figures.cpuMs, speaker.name, cpuMs);
      push(figures.firstMs, speaker.name, ...firstMs);
    }
    for (let turn = 0; turn < BATCH; turn++) {
      figures.direct.push((await direct.stream(bench.model.turn(ask(TOKENS)), new Tally())).firstMs);
    }
  }
  direct.close();
  for (const speaker of speakers) {
    await speaker.batch(1);
    figures.requestBytes.set(speaker.name, (await bench.model.said()).lastBytes);
  }
  for (const speaker of speakers) speaker.close();
  return figures;
}

function push(map: Map<string, number[]>, key: string, ...values: number[]): void {
  map.set(key, [...(map.get(key) ?? []), ...values]);
}

class Speaker {
  readonly #side: Side;
  readonly #connection: Connection;

  private constructor(side: Side) {
    this.#side = side;
    this.#connection = new Connection(side.child.port);
  }

  static async start(side: Side): Promise<Speaker> {
    return new Speaker(side);
  }

  get name(): string {
    return this.#side.name;
  }

  /** Beginning the conversations is not part of a turn. */
  async batch(turns: number): Promise<{ cpuMs: number; firstMs: number[] }> {
    const ids = await inParallel(Math.ceil(turns / TURNS_PER_CONVERSATION), 1, () => this.#side.open());
    const requests: WireRequest[] = Array.from({ length: turns }, (_, turn) =>
      this.#side.turn(ids[turn % ids.length]!, ask(TOKENS)),
    );
    const firstMs: number[] = [];
    const before = this.#side.child.cpuMs();
    for (const request of requests) {
      const heard = await this.#connection.stream(request, new Tally());
      if (heard.tokens !== TOKENS) throw new Error(`${this.name}: ${heard.tokens} of ${TOKENS} tokens arrived`);
      firstMs.push(heard.firstMs);
    }
    return { cpuMs: (this.#side.child.cpuMs() - before) / turns, firstMs };
  }

  close(): void {
    this.#connection.close();
  }
}

function toRows(figures: Figures): Row[] {
  const { direct, firstMs, cpuMs } = figures;
  const added = (name: string) => median(firstMs.get(name)!) - median(direct);
  const cpu = (name: string) => median(cpuMs.get(name)!);
  return [
    compare({
      row: 'time to first token, added, p50',
      baselineName: 'bare-sqlite',
      baseline: added('bare-sqlite'),
      parley: added('parley'),
      unit: 'ms',
      atMost: 2,
      figures: { bare: added('bare'), direct: median(direct) },
    }),
    compare({
      row: 'server CPU per short turn',
      baselineName: 'bare-sqlite',
      baseline: cpu('bare-sqlite'),
      parley: cpu('parley'),
      unit: 'ms',
      atMost: 2,
      figures: { bare: cpu('bare') },
    }),
    ...toEquippedRows(figures, added, cpu),
  ];
}

/** What it costs to offer a model everything there is, although it uses nothing of it. */
function toEquippedRows(
  { requestBytes }: Figures,
  added: (name: string) => number,
  cpu: (name: string) => number,
): Row[] {
  const of = { baselineName: 'Parley without tools', unit: 'ms' };
  return [
    compare({
      row: 'time to first token, added, every tool offered',
      ...of,
      baseline: added('parley'),
      parley: added(EQUIPPED),
      note: `a first request is ${requestBytes.get(EQUIPPED)} bytes long instead of ${requestBytes.get('parley')}`,
    }),
    compare({
      row: 'server CPU per short turn, every tool offered',
      ...of,
      baseline: cpu('parley'),
      parley: cpu(EQUIPPED),
    }),
  ];
}
