import type { Bench, Measurement } from '../bench.ts';
import { untilCalm } from '../load/calm.ts';
import { type CrowdResult, crowdOfStreams, crowdOfWatched } from '../load/crowd.ts';
import { compare } from '../report.ts';
import { Bare } from '../sides/bare.ts';
import { Parley } from '../sides/parley.ts';
import { crowdPlan, describe, WATCHERS } from './crowds.ts';

const CARRIED = 0.99;
const LEAST = 200;
const MOST = 1800;
const STEP = 100;

/** How many conversations one server on one core keeps up with. */
export const mostCarried: Measurement = {
  name: 'most-carried',
  about: 'the most conversations of which 99 % is delivered',
  async run(bench) {
    const { model, quick } = bench;
    const plain = { modelUrl: model.url };
    const bare = await search(bench, 'bare', (count) => bareCrowd(bench, false, count));
    const sqlite = await search(bench, 'bare-sqlite', (count) => bareCrowd(bench, true, count));
    const parley = await search(bench, 'Parley, shared stream', async (count) => {
      const side = await Parley.start(plain);
      return crowdOfWatched(side, model, crowdPlan(quick, count), WATCHERS).finally(() => side.stop());
    });
    const row = 'most conversations x 20 tok/s carried at >= 99 %';
    const note = `bare-sqlite carries ${sqlite}; more than ${MOST} are not tried`;
    return [compare({ row, baselineName: 'bare', baseline: bare, parley, unit: '', atLeast: 1, note })];
  },
};

async function bareCrowd({ model, quick }: Bench, sqlite: boolean, count: number): Promise<CrowdResult> {
  const side = await Bare.start({ modelUrl: model.url, sqlite });
  return crowdOfStreams(side, model, crowdPlan(quick, count)).finally(() => side.stop());
}

/** The largest number, to the hundred, that is carried: what is beyond one that is not is not tried. */
async function search(
  { log }: Bench,
  name: string,
  measure: (conversations: number) => Promise<CrowdResult>,
): Promise<number> {
  let [carried, tooMany] = [LEAST, MOST + STEP];
  while (tooMany - carried > STEP) {
    const count = Math.round((carried + tooMany) / 2 / STEP) * STEP;
    await untilCalm(5000);
    const result = await measure(count);
    log(`${name}, ${count} conversations: ${describe(result)}`);
    if (result.delivered >= CARRIED && result.errors === 0) carried = count;
    else tooMany = count;
  }
  return carried;
}
