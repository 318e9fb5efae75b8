import type { Bench, Measurement } from '../bench.ts';
import { someWords } from '../fill/words.ts';
import { timeCall } from '../load/calls.ts';
import { median } from '../load/statistics.ts';
import { compare, type Row } from '../report.ts';
import { Parley } from '../sides/parley.ts';
import { Homes } from './homes.ts';

const LONG = 100_000;
/** As many as a page shows, and one page before them. */
const SHORT = 100;

/** Reading in a session must not depend on its length. */
export const pages: Measurement = {
  name: 'pages',
  about: 'the tail and any page of a session of 100,000 messages',
  async run(bench) {
    const homes = new Homes();
    const home = await homes.parley((filler) => {
      filler.addConversation('long', LONG, someWords);
      filler.addConversation('short', SHORT, someWords);
    });
    const parley = await Parley.start({ modelUrl: bench.model.url, home });
    try {
      return toRows(await measure(bench, parley));
    } finally {
      await parley.stop();
      homes.removeAll();
    }
  },
};

interface Times {
  short: number[];
  tail: number[];
  random: number[];
}

async function measure({ quick }: Bench, parley: Parley): Promise<Times> {
  const times: Times = { short: [], tail: [], random: [] };
  const read = (session: string, query = '') =>
    timeCall(parley.child.url, parley.get(`/api/sessions/${session}/messages?limit=50${query}`));
  for (let round = 0; round < (quick ? 150 : 400); round++) {
    times.short.push(await read('short'));
    times.tail.push(await read('long'));
    times.random.push(await read('long', `&before=${100 + Math.floor(Math.random() * (LONG - 100))}`));
  }
  return times;
}

function toRows({ short, tail, random }: Times): Row[] {
  const p50 = (values: number[]) => median(values.slice(values.length / 4));
  const common = { baselineName: 'session of 100', baseline: p50(short), unit: 'ms', atMost: 1.5 };
  return [
    compare({ row: 'open the tail of 100,000 messages, p50', parley: p50(tail), ...common }),
    compare({ row: 'any page of 100,000 messages, p50', parley: p50(random), ...common }),
  ];
}
