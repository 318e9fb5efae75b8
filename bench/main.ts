import { availableParallelism, loadavg } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import type { Bench, Measurement } from './bench.ts';
import { untilCalm } from './load/calm.ts';
import { printTable, type Row, storeResults } from './report.ts';
import { adapters } from './rows/adapters.ts';
import { artifacts } from './rows/artifacts.ts';
import { coldSession } from './rows/cold-session.ts';
import { commandLine } from './rows/command-line.ts';
import { crowds } from './rows/crowds.ts';
import { delegations } from './rows/delegations.ts';
import { flood } from './rows/flood.ts';
import { knowledge } from './rows/knowledge.ts';
import { lists } from './rows/lists.ts';
import { longHistory } from './rows/long-history.ts';
import { checkModel } from './rows/model-check.ts';
import { mostCarried } from './rows/most-carried.ts';
import { packages } from './rows/packages.ts';
import { pages } from './rows/pages.ts';
import { searching } from './rows/searching.ts';
import { shortTurns } from './rows/short-turns.ts';
import { starting } from './rows/starting.ts';
import { toolCalls } from './rows/tool-calls.ts';
import { isPinned, pinSelf } from './sides/child.ts';
import { Model } from './sides/model.ts';
import { warmUp } from './sides/parley.ts';

const MEASUREMENTS: readonly Measurement[] = [
  shortTurns,
  toolCalls,
  delegations,
  adapters,
  crowds,
  mostCarried,
  flood,
  starting,
  longHistory,
  knowledge,
  lists,
  artifacts,
  pages,
  searching,
  commandLine,
  coldSession,
  packages,
];
const RESULTS = path.join(import.meta.dirname, 'results');

const { values } = parseArgs({
  options: { only: { type: 'string' }, quick: { type: 'boolean', default: false }, help: { type: 'boolean' } },
});
if (values.help) help();
else await run(chosen(values.only), values.quick);

function help(): void {
  console.log('npm run bench -- [--quick] [--only name,…]\n');
  for (const { name, about } of MEASUREMENTS) console.log(`  ${name.padEnd(16)} ${about}`);
}

function chosen(only: string | undefined): readonly Measurement[] {
  if (!only) return MEASUREMENTS;
  const names = only.split(',');
  const unknown = names.find((name) => !MEASUREMENTS.some((measurement) => measurement.name === name));
  if (unknown) throw new Error(`There is no measurement ${unknown}; --help lists them.`);
  return MEASUREMENTS.filter(({ name }) => names.includes(name));
}

async function run(measurements: readonly Measurement[], quick: boolean): Promise<void> {
  const machine = { cores: availableParallelism(), pinned: isPinned, loadBefore: loadavg()[0], node: process.version };
  pinSelf();
  log(`${machine.cores} cores, ${isPinned ? 'pinned' : 'not pinned'}, load ${machine.loadBefore!.toFixed(1)}`);
  const model = await Model.start();
  const bench: Bench = { model, quick, log };
  const check = await checkModel(bench);
  await warmUp({ modelUrl: model.url });
  const rows: Row[] = [];
  for (const measurement of measurements) {
    log(`${measurement.name}: ${measurement.about}`);
    if (!(await untilCalm(quick ? 5000 : 20_000)))
      log('the machine is busy with other things: times will be worse than they are');
    rows.push(...(await measurement.run(bench)));
  }
  await model.child.stop();
  console.log();
  printTable(rows);
  console.log(`\nStored in ${path.relative(process.cwd(), storeResults(RESULTS, { machine, quick, check, rows }))}`);
}

function log(text: string): void {
  console.log(`[${(performance.now() / 1000).toFixed(0).padStart(3)} s] ${text}`);
}
