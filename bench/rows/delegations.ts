import type { Bench, Measurement } from '../bench.ts';
import { compare, format, type Row } from '../report.ts';
import { Bare } from '../sides/bare.ts';
import { Parley } from '../sides/parley.ts';
import type { Side } from '../sides/side.ts';
import { measureAdded, toAddedRows } from './added.ts';
import { PLAIN, type Script, Spent, Talker, withCalls } from './talker.ts';

export const DELEGATING = {
  agent: { toolAllowlist: ['agents_message'] },
  withDelegate: true,
  config: { delegation: { fanOut: 200, turnsPerRoot: 1000 } },
};

/** The model asks another agent before it answers: once, and very often at once. */
export const delegations: Measurement = {
  name: 'delegations',
  about: 'what one delegation adds to a turn, and a hundred at once',
  async run(bench: Bench) {
    const { url: modelUrl } = bench.model;
    const sides = [
      await Bare.start({ modelUrl, sqlite: true, tools: true }),
      await Parley.start({ modelUrl, ...DELEGATING }),
    ] as const;
    try {
      const rows = toAddedRows('one sync delegation adds', 3, await measureAdded(bench, sides, 'latest'));
      const [bare, parley] = await measureWidths(bench, sides);
      return [...rows, ...toWidthRows(bare!, parley!)];
    } finally {
      for (const side of sides) await side.stop();
    }
  },
};

/** How many are asked at once. Each is asked in a session of its own. */
const WIDTHS = [1, 10, 100] as const;
const NARROWEST = WIDTHS[0];
const WIDEST = WIDTHS[2];

type Each = Record<(typeof WIDTHS)[number], { cpuMs: number; timeMs: number }>;

async function measureWidths({ quick, log }: Bench, sides: readonly Side[]): Promise<Each[]> {
  const widths: Each[] = [];
  for (const side of sides) {
    const talker = new Talker(side);
    const scripts = [PLAIN, ...WIDTHS.map((width) => withCalls(width, 'create'))];
    const spent = scripts.map(() => new Spent());
    for (let round = 0; round < (quick ? 4 : 12); round++) await talkOnce(talker, scripts, spent);
    talker.close();
    widths.push(toEach(spent));
    log(`${side.name}: ${describe(widths.at(-1)!)}`);
  }
  return widths;
}

/** Every turn in a new conversation: a hundred answers in the history would be paid for by the next turn. */
async function talkOnce(talker: Talker, scripts: readonly Script[], spent: readonly Spent[]): Promise<void> {
  for (const [index, script] of scripts.entries()) {
    const turns = Math.max(2, Math.floor(30 / (1 + script.calls)));
    for (let turn = 0; turn < turns; turn++) await talker.converse(script, 1, spent[index]);
  }
}

function toEach([plain, ...called]: readonly Spent[]): Each {
  const each = WIDTHS.map((width, index) => {
    const { cpu, time } = called[index]!;
    return [width, { cpuMs: (cpu - plain!.cpu) / width, timeMs: (time - plain!.time) / width }];
  });
  return Object.fromEntries(each);
}

function describe(each: Each): string {
  const list = (key: 'cpuMs' | 'timeMs') => WIDTHS.map((width) => format(each[width][key])).join(', ');
  return `each of ${WIDTHS.join(', ')} at once: ${list('cpuMs')} ms CPU, ${list('timeMs')} ms`;
}

function toWidthRows(bare: Each, parley: Each): Row[] {
  const figures = { bareEach: bare, parleyEach: parley };
  const row = (name: string, key: 'cpuMs' | 'timeMs') =>
    compare({
      row: `100 parallel delegations, ${name} of each`,
      baselineName: 'Parley, one alone',
      baseline: parley[NARROWEST][key],
      parley: parley[WIDEST][key],
      unit: 'ms',
      // Linear: a hundred cost no more than a hundred times one.
      atMost: 1,
      note: `no error; 10 at once ${format(parley[10][key])} ms each; bare-sqlite ${format(bare[NARROWEST][key])} alone and ${format(bare[WIDEST][key])} ms of 100`,
      figures,
    });
  return [row('CPU', 'cpuMs'), row('time', 'timeMs')];
}
