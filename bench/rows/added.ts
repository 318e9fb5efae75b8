import type { Bench } from '../bench.ts';
import { compare, format, type Row } from '../report.ts';
import { askWithCalls, type Chore } from '../sides/model.ts';
import type { Side } from '../sides/side.ts';
import { PLAIN, Spent, Talker, TOKENS, timeModel, withCalls } from './talker.ts';

const TURNS = 10;

interface Costs {
  plain: Spent;
  called: Spent;
}

export interface Added {
  baseline: Costs;
  parley: Costs;
  /** What the model itself takes for the requests that come in addition. */
  modelMs: number;
}

/** Turns in which one thing is done before the answer, in turn with turns in which nothing is. */
export async function measureAdded(
  { model, quick }: Bench,
  [bare, parley]: readonly [Side, Side],
  chore: Chore,
): Promise<Added> {
  const called = withCalls(1, chore);
  const speakers = [newSpeaker(bare), newSpeaker(parley)] as const;
  for (let round = 0; round < (quick ? 10 : 30); round++) {
    for (const { talker } of speakers) for (const script of [PLAIN, called]) await talker.converse(script, TURNS);
  }
  for (let round = 0; round < (quick ? 15 : 60); round++) {
    for (const { talker, costs } of speakers) {
      await talker.converse(PLAIN, TURNS, costs.plain);
      await talker.converse(called, TURNS, costs.called);
    }
  }
  for (const { talker } of speakers) talker.close();
  const further = [askWithCalls(TOKENS, 1, chore), ...(called.newDelegate ? ['Please.'] : [])];
  const modelMs = await timeModel(model, further);
  return { baseline: speakers[0].costs, parley: speakers[1].costs, modelMs };
}

function newSpeaker(side: Side): { talker: Talker; costs: Costs } {
  return { talker: new Talker(side), costs: { plain: new Spent(), called: new Spent() } };
}

export function toAddedRows(row: string, atMost: number, { baseline, parley, modelMs }: Added): Row[] {
  const time = ({ plain, called }: Costs) => called.time - plain.time;
  const cpu = ({ plain, called }: Costs) => called.cpu - plain.cpu;
  const own = (time(parley) - modelMs) / (time(baseline) - modelMs);
  return [
    compare({
      row: `${row}, time p50`,
      baselineName: 'bare-sqlite',
      baseline: time(baseline),
      parley: time(parley),
      unit: 'ms',
      atMost,
      note: `${format(modelMs)} ms of both are the model's; without them the ratio is ${own.toFixed(2)}`,
      figures: {
        plainMs: [baseline.plain.time, parley.plain.time],
        calledMs: [baseline.called.time, parley.called.time],
      },
    }),
    compare({
      row: `${row}, CPU`,
      baselineName: 'bare-sqlite',
      baseline: cpu(baseline),
      parley: cpu(parley),
      unit: 'ms',
      atMost,
      note: `a whole turn with it ${format(baseline.called.cpu)} and ${format(parley.called.cpu)} ms`,
      figures: { plain: [baseline.plain.cpu, parley.plain.cpu], called: [baseline.called.cpu, parley.called.cpu] },
    }),
  ];
}
