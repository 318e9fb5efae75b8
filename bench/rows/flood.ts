import type { Bench, Measurement } from '../bench.ts';
import { inParallel } from '../load/calls.ts';
import { Connection } from '../load/connection.ts';
import { median } from '../load/statistics.ts';
import { Tally } from '../load/tally.ts';
import { compare, format } from '../report.ts';
import { Bare } from '../sides/bare.ts';
import { ask } from '../sides/model.ts';
import { Parley } from '../sides/parley.ts';
import type { Side } from '../sides/side.ts';

const CONVERSATIONS = 50;

interface Flood {
  perSecond: number;
  /** Of CPU time: what a core to itself would carry. */
  perCpuSecond: number;
}

/** A model that is faster than the server: how many tokens get through. */
export const flood: Measurement = {
  name: 'flood',
  about: '50 conversations, as fast as it goes',
  async run(bench) {
    const sides = [
      await Bare.start({ modelUrl: bench.model.url, sqlite: false }),
      await Bare.start({ modelUrl: bench.model.url, sqlite: true }),
      await Parley.start({ modelUrl: bench.model.url }),
    ];
    try {
      const figures = await measure(bench, sides);
      const of = (index: number, key: keyof Flood) => median(figures[index]!.map((one) => one[key]));
      const cpuRatio = of(2, 'perCpuSecond') / of(1, 'perCpuSecond');
      return [
        compare({
          row: 'flood, 50 conversations',
          baselineName: 'bare-sqlite',
          baseline: of(1, 'perSecond'),
          parley: of(2, 'perSecond'),
          unit: 'tok/s',
          atLeast: 0.7,
          note: `bare ${format(of(0, 'perSecond'))} tok/s; per CPU second the ratio is ${cpuRatio.toFixed(2)}`,
          figures: { bare: figures[0], bareSqlite: figures[1], parleyFloods: figures[2] },
        }),
      ];
    } finally {
      for (const side of sides) await side.stop();
    }
  },
};

async function measure({ quick, log }: Bench, sides: readonly Side[]): Promise<Flood[][]> {
  const figures: Flood[][] = sides.map(() => []);
  for (const side of sides) await floodOnce(side, 500);
  for (let round = 0; round < (quick ? 2 : 5); round++) {
    for (const [index, side] of sides.entries()) {
      const result = await floodOnce(side, quick ? 2000 : 4000);
      figures[index]!.push(result);
      log(`${side.name}: ${format(result.perSecond)} tok/s, ${format(result.perCpuSecond)} per CPU second`);
    }
  }
  return figures;
}

async function floodOnce(side: Side, tokens: number): Promise<Flood> {
  const ids = await inParallel(CONVERSATIONS, 10, () => side.open());
  const connections = ids.map(() => new Connection(side.child.port));
  const tally = new Tally();
  const cpuBefore = side.child.cpuMs();
  const startedAt = performance.now();
  await Promise.all(ids.map((id, index) => connections[index]!.stream(side.turn(id, ask(tokens)), tally)));
  const seconds = (performance.now() - startedAt) / 1000;
  const cpuSeconds = (side.child.cpuMs() - cpuBefore) / 1000;
  for (const connection of connections) connection.close();
  if (tally.total !== CONVERSATIONS * tokens)
    throw new Error(`${side.name} lost ${CONVERSATIONS * tokens - tally.total}`);
  return { perSecond: tally.total / seconds, perCpuSecond: tally.total / cpuSeconds };
}
