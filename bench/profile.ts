/**
 * Where Parley's CPU time goes: `node bench/profile.ts [load] [--sql]`. Starts it with V8's profiler, makes one kind of
 * load, and prints the functions and files that used the time themselves; `--sql` prints the SQL statements instead. For
 * tools and delegation it is what they add to a turn. The profile is kept, for a browser's developer tools.
 */
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { pause } from './load/statistics.ts';
import { LOADS, type Load } from './profile/loads.ts';
import { printProfile } from './profile/report.ts';
import { printStatements } from './profile/statements.ts';
import { Stretches } from './profile/stretches.ts';
import { pinSelf } from './sides/child.ts';
import { Model } from './sides/model.ts';
import { Parley, warmUp } from './sides/parley.ts';

/** As `bin/parley.mjs` sets them. */
const FLAGS = ['--max-semi-space-size=32'];
/** The server has read the signal by then. */
const SIGNAL_MS = 100;

const { positionals, values } = parseArgs({ allowPositionals: true, options: { sql: { type: 'boolean' } } });
const [name = 'shared'] = positionals;
const load = LOADS[name];
if (!load) throw new Error(`There is no load ${name}; there are ${Object.keys(LOADS).join(', ')}.`);
const home = mkdtempSync(path.join(tmpdir(), 'parley-profile-'));
pinSelf();
await (values.sql ? timeStatements(name, load) : profile(name, load));
rmSync(home, { recursive: true, force: true });

async function profile(title: string, { options, make }: Load): Promise<void> {
  const model = await Model.start();
  await warmUp({ ...options, modelUrl: model.url, nodeArgs: FLAGS });
  const folder = path.join(import.meta.dirname, 'results', `profile-${title}`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const nodeArgs = [...FLAGS, '--cpu-prof', `--cpu-prof-dir=${folder}`, '--cpu-prof-interval=200'];
  const parley = await Parley.start({ ...options, modelUrl: model.url, home, nodeArgs });
  const stretches = new Stretches();
  const figures = await make({ parley, model, stretches });
  await parley.stop();
  await model.child.stop();
  console.log(`${title}: ${figures}\n`);
  for (const file of readdirSync(folder)) printProfile(path.join(folder, file), stretches.contrast());
}

async function timeStatements(title: string, { options, make }: Load): Promise<void> {
  const model = await Model.start();
  const counter = pathToFileURL(path.join(import.meta.dirname, 'sides/statement-times.mjs'));
  const file = path.join(home, 'statements.json');
  counter.searchParams.set('to', file);
  const nodeArgs = [...FLAGS, '--import', counter.href];
  const parley = await Parley.start({ ...options, modelUrl: model.url, home, nodeArgs });
  const stretches = new Stretches(async () => {
    await pause(SIGNAL_MS);
    parley.child.process.kill('SIGUSR2');
    await pause(SIGNAL_MS);
  });
  const figures = await make({ parley, model, stretches });
  await parley.stop();
  await model.child.stop();
  console.log(`${title}: ${figures}\n`);
  printStatements(file, stretches);
}
