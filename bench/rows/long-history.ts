import type { Bench, Measurement } from '../bench.ts';
import { someWords } from '../fill/words.ts';
import { Connection } from '../load/connection.ts';
import { median } from '../load/statistics.ts';
import { Tally } from '../load/tally.ts';
import { compare, format, type Row } from '../report.ts';
import { Bare } from '../sides/bare.ts';
import { ask } from '../sides/model.ts';
import { Parley } from '../sides/parley.ts';
import type { Side } from '../sides/side.ts';
import { Homes } from './homes.ts';

const LONG = 10_000;
const SHORT = 10;
const TOKENS = 20;
const NEVER_COMPACT = { contextWindow: 1_000_000_000 };

/** What a turn costs on a long history, with the older part summarised and with all of it sent. */
export const longHistory: Measurement = {
  name: 'long-history',
  about: 'CPU of a turn on 10,000 messages and on 10',
  async run(bench) {
    const homes = new Homes();
    const sides = await startSides(bench, homes);
    try {
      return toRows(await measure(bench, sides));
    } finally {
      for (const side of Object.values(sides)) await side.stop();
      homes.removeAll();
    }
  },
};

interface Sides {
  bare: Side;
  whole: Side;
  compacted: Side;
}

async function startSides({ model: { url: modelUrl } }: Bench, homes: Homes): Promise<Sides> {
  const fill = (filler: { addConversation(id: string, messages: number, textOf: (seq: number) => string): void }) => {
    filler.addConversation('long', LONG, someWords);
    filler.addConversation('short', SHORT, someWords);
  };
  return {
    bare: await Bare.start({ modelUrl, sqlite: true, home: await homes.bare(modelUrl, fill) }),
    whole: await Parley.start({ modelUrl, home: await homes.parley(fill), chat: NEVER_COMPACT }),
    compacted: await Parley.start({ modelUrl, home: await homes.parley(fill) }),
  };
}

type Costs = Record<keyof Sides, { long: number[]; short: number[]; first: number }>;

async function measure({ quick, log }: Bench, sides: Sides): Promise<Costs> {
  const costs: Costs = { bare: empty(), whole: empty(), compacted: empty() };
  const names = Object.keys(sides) as (keyof Sides)[];
  for (const name of names) {
    costs[name].first = await cpuOfTurns(sides[name], 'long', 1);
    await cpuOfTurns(sides[name], 'short', 30);
  }
  for (let round = 0; round < (quick ? 3 : 7); round++) {
    for (const name of names) {
      costs[name].long.push(await cpuOfTurns(sides[name], 'long', 15));
      costs[name].short.push(await cpuOfTurns(sides[name], 'short', 40));
    }
  }
  for (const name of names) {
    const { long, short, first } = costs[name];
    log(
      `${name}: ${format(median(long))} ms on 10,000 (the first ${format(first)}), ${format(median(short))} ms on 10`,
    );
  }
  return costs;
}

function empty() {
  return { long: [], short: [], first: 0 };
}

async function cpuOfTurns(side: Side, conversation: string, turns: number): Promise<number> {
  const connection = new Connection(side.child.port);
  const before = side.child.cpuMs();
  for (let turn = 0; turn < turns; turn++) {
    const { tokens } = await connection.stream(side.turn(conversation, ask(TOKENS)), new Tally());
    if (tokens !== TOKENS) throw new Error(`${side.name}: ${tokens} of ${TOKENS} tokens arrived`);
  }
  connection.close();
  return (side.child.cpuMs() - before) / turns;
}

function toRows({ bare, whole, compacted }: Costs): Row[] {
  return [
    compare({
      row: 'a turn on 10,000 messages, with compaction',
      baselineName: 'Parley on 10',
      baseline: median(compacted.short),
      parley: median(compacted.long),
      unit: 'ms CPU',
      atMost: 1.5,
      note: `bare-sqlite ${(median(bare.long) / median(bare.short)).toFixed(1)}x; the turn that compacts ${format(compacted.first)} ms`,
      figures: { costs: compacted },
    }),
    compare({
      row: 'a turn on 10,000 messages, all of it sent',
      baselineName: 'bare-sqlite on 10,000',
      baseline: median(bare.long),
      parley: median(whole.long),
      unit: 'ms CPU',
      atMost: 1,
      note: `the first turn after a start, which reads the history, ${format(whole.first)} ms; bare-sqlite ${format(bare.first)} ms`,
      figures: { bare, whole },
    }),
  ];
}
