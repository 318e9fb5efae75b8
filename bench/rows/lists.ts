import type { Bench, Measurement } from '../bench.ts';
import { timeCall } from '../load/calls.ts';
import { median } from '../load/statistics.ts';
import { compare, type Row } from '../report.ts';
import { Bare } from '../sides/bare.ts';
import { Parley } from '../sides/parley.ts';
import { Homes } from './homes.ts';

const SIZES = [10_000, 100_000];
const SHOWN = 50;

/** The newest sessions of many. */
export const lists: Measurement = {
  name: 'lists',
  about: 'listing 50 of 10,000 and of 100,000 sessions',
  async run(bench) {
    const homes = new Homes();
    try {
      const rows: Row[] = [];
      for (const size of SIZES) rows.push(await measure(bench, homes, size));
      return rows;
    } finally {
      homes.removeAll();
    }
  },
};

async function measure({ model: { url: modelUrl }, quick }: Bench, homes: Homes, size: number): Promise<Row> {
  const fill = (add: (id: string, at: number) => void) => {
    for (let index = 0; index < size; index++) add(`s${index}`, Date.now() - index * 1000);
  };
  const parleyHome = await homes.parley((filler) =>
    fill((id, at) => filler.addSession(id, `Session ${id}`, 0, null, at)),
  );
  const bareHome = await homes.bare(modelUrl, (filler) => fill((id) => filler.addConversation(id, 0, () => '')));
  const bare = await Bare.start({ modelUrl, sqlite: true, home: bareHome });
  const parley = await Parley.start({ modelUrl, home: parleyHome });
  const times = { bare: [] as number[], parley: [] as number[] };
  for (let round = 0; round < (quick ? 200 : 500); round++) {
    times.bare.push(await timeCall(bare.child.url, bare.list(SHOWN)));
    times.parley.push(await timeCall(parley.child.url, parley.list(SHOWN)));
  }
  await bare.stop();
  await parley.stop();
  // The first ones only warm up.
  const p50 = (values: number[]) => median(values.slice(values.length / 4));
  return compare({
    row: `list 50 of ${size.toLocaleString('en')} sessions, p50`,
    baselineName: 'bare-sqlite',
    baseline: p50(times.bare),
    parley: p50(times.parley),
    unit: 'ms',
    atMost: 2,
  });
}
