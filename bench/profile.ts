/**
 * Where Parley's CPU time goes: `node bench/profile.ts [turns|shared|streams|flood|lists|start] [--sql]`. Starts it with V8's profiler,
 * makes one kind of load, and prints the functions and files that used the time themselves. The profile is kept, for
 * looking at it in a browser's developer tools.
 */
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { inParallel, timeCall } from './load/calls.ts';
import { Connection } from './load/connection.ts';
import { crowdOfStreams, crowdOfWatched } from './load/crowd.ts';
import { pause } from './load/statistics.ts';
import { Tally } from './load/tally.ts';
import { printProfile } from './profile-report.ts';
import { crowdPlan, describe } from './rows/crowds.ts';
import { pinSelf } from './sides/child.ts';
import { ask, Model } from './sides/model.ts';
import { Parley, warmUp } from './sides/parley.ts';

type Load = (parley: Parley, model: Model) => Promise<string>;

/** As `bin/parley.mjs` sets them. */
const FLAGS = ['--max-semi-space-size=16'];
const TURNS = 1500;
const LISTS = 3000;

const LOADS: Readonly<Record<string, Load>> = {
  turns: async (parley) => {
    const ids = await inParallel(TURNS / 10, 1, () => parley.open());
    const connection = new Connection(parley.child.port);
    const cpuBefore = parley.child.cpuMs();
    for (let turn = 0; turn < TURNS; turn++) {
      await connection.stream(parley.turn(ids[turn % ids.length]!, ask(20)), new Tally());
    }
    return `${((parley.child.cpuMs() - cpuBefore) / TURNS).toFixed(2)} ms CPU a turn`;
  },
  shared: async (parley, model) => describe(await crowdOfWatched(parley, model, crowdPlan(true), 3)),
  streams: async (parley, model) => describe(await crowdOfStreams(parley, model, crowdPlan(true))),
  flood: async (parley) => {
    const ids = await inParallel(50, 10, () => parley.open());
    const tally = new Tally();
    await Promise.all(ids.map((id) => new Connection(parley.child.port).stream(parley.turn(id, ask(5000)), tally)));
    return `${tally.total} tokens`;
  },
  lists: async (parley) => {
    await inParallel(100, 4, () => parley.open());
    const cpuBefore = parley.child.cpuMs();
    for (let round = 0; round < LISTS; round++) await timeCall(parley.child.url, parley.list(50));
    return `${((parley.child.cpuMs() - cpuBefore) / LISTS).toFixed(2)} ms CPU a list`;
  },
  start: async (parley) => {
    await pause(1000);
    return `${parley.child.cpuMs().toFixed(0)} ms CPU, ${parley.child.rssMb().toFixed(0)} MB`;
  },
};

const { positionals, values } = parseArgs({ allowPositionals: true, options: { sql: { type: 'boolean' } } });
const [name = 'shared'] = positionals;
const load = LOADS[name];
if (!load) throw new Error(`There is no load ${name}; there are ${Object.keys(LOADS).join(', ')}.`);
await (values.sql ? timeStatements(name, load) : profile(name, load));

async function profile(title: string, make: Load): Promise<void> {
  pinSelf();
  const model = await Model.start();
  await warmUp(model.url);
  const folder = path.join(import.meta.dirname, 'results', `profile-${title}`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const home = mkdtempSync(path.join(tmpdir(), 'parley-profile-'));
  const nodeArgs = [...FLAGS, '--cpu-prof', `--cpu-prof-dir=${folder}`, '--cpu-prof-interval=200'];
  const startedUs = nowUs();
  const parley = await Parley.start({ modelUrl: model.url, home, nodeArgs });
  const readyUs = nowUs();
  const figures = await make(parley, model);
  const window = title === 'start' ? { from: startedUs, to: readyUs } : { from: readyUs, to: nowUs() };
  await parley.stop();
  await model.child.stop();
  rmSync(home, { recursive: true, force: true });
  console.log(`${title}: ${figures}\n`);
  for (const file of readdirSync(folder)) printProfile(path.join(folder, file), window);
}

/** Every SQL statement, how often it ran and how long it took. */
async function timeStatements(title: string, make: Load): Promise<void> {
  pinSelf();
  const model = await Model.start();
  const nodeArgs = [...FLAGS, '--import', path.join(import.meta.dirname, 'sides/statement-times.mjs')];
  const parley = await Parley.start({ modelUrl: model.url, nodeArgs });
  const figures = await make(parley, model);
  await parley.stop();
  await model.child.stop();
  console.log(`${title}: ${figures}\n\n${parley.child.output}`);
}

/** The clock that the profiler uses. */
function nowUs(): number {
  return Number(process.hrtime.bigint() / 1000n);
}
