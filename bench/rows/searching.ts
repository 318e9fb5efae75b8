import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { homePaths } from '../../server/home.ts';
import { MIGRATIONS } from '../../server/storage/migrations.ts';
import type { Bench, Measurement } from '../bench.ts';
import { fillMessages } from '../fill/messages.ts';
import { rareWord, rareWords } from '../fill/words.ts';
import { timeCall } from '../load/calls.ts';
import { median, pause, quantile } from '../load/statistics.ts';
import { format, type Row } from '../report.ts';
import { Parley } from '../sides/parley.ts';

const HOMES = path.join(import.meta.dirname, '../results/homes');
const GOAL_MS = 20;
const LOOP_GOAL_MS = 5;
const COMMON = ['word0', 'word1', 'word2', 'word5'];

/** Full-text search over very many messages, and what it does to everybody else meanwhile. */
export const searching: Measurement = {
  name: 'searching',
  about: 'search over 1,000,000 messages (200,000 when quick)',
  async run(bench) {
    const messages = bench.quick ? 200_000 : 1_000_000;
    const parley = await Parley.start({ modelUrl: bench.model.url, home: await filledHome(bench, messages) });
    try {
      return await measure(bench, parley, messages);
    } finally {
      await parley.stop();
    }
  },
};

/** Filling takes a minute, so the folder is kept for the next run, as long as the schema is the same. */
async function filledHome({ log }: Bench, messages: number): Promise<string> {
  const schema = createHash('sha256').update(JSON.stringify(MIGRATIONS)).digest('hex').slice(0, 8);
  const home = path.join(HOMES, `search-${messages}-${schema}`);
  if (existsSync(home)) return home;
  removeOutdated(messages);
  log(`filling a database with ${messages.toLocaleString('en')} messages, once`);
  const draft = `${home}.draft`;
  rmSync(draft, { recursive: true, force: true });
  mkdirSync(draft, { recursive: true, mode: 0o700 });
  await fillMessages(homePaths(draft).database, messages);
  renameSync(draft, home);
  return home;
}

function removeOutdated(messages: number): void {
  if (!existsSync(HOMES)) return;
  const outdated = readdirSync(HOMES).filter((name) => name.startsWith(`search-${messages}-`));
  for (const name of outdated) rmSync(path.join(HOMES, name), { recursive: true, force: true });
}

async function measure({ quick }: Bench, parley: Parley, messages: number): Promise<Row[]> {
  const searches = quick ? 200 : 500;
  const search = (word: string) => timeCall(parley.child.url, parley.get(`/api/search?q=${word}&limit=20`));
  const calm = await probeWhile(parley, pause(quick ? 1000 : 2000));
  for (let round = 0; round < 20; round++) await search(COMMON[round % COMMON.length]!);
  const rare: number[] = [];
  const common: number[] = [];
  const probes = await probeWhile(parley, runSearches());
  return toRows(messages, { rare, common, calm, probes });

  async function runSearches(): Promise<void> {
    for (let round = 0; round < searches; round++) {
      rare.push(await search(rareWord(Math.floor(Math.random() * rareWords(messages)))));
      common.push(await search(COMMON[round % COMMON.length]!));
    }
  }
}

/** How long the smallest request takes while something else happens: what the event loop adds to everything. */
async function probeWhile(parley: Parley, work: Promise<unknown>): Promise<number[]> {
  const times: number[] = [];
  let isOver = false;
  const done = work.finally(() => {
    isOver = true;
  });
  while (!isOver) {
    times.push(await timeCall(parley.child.url, { method: 'GET', path: '/health' }));
    await pause(5);
  }
  await done;
  return times;
}

interface Figures {
  rare: number[];
  common: number[];
  calm: number[];
  probes: number[];
}

function toRows(messages: number, { rare, common, calm, probes }: Figures): Row[] {
  const count = messages.toLocaleString('en');
  const added = quantile(probes, 0.99) - quantile(calm, 0.99);
  return [
    absolute(`search ${count} messages, rare word, p99`, quantile(rare, 0.99), GOAL_MS, median(rare)),
    absolute(`search ${count} messages, common word, p99`, quantile(common, 0.99), GOAL_MS, median(common)),
    absolute('small requests meanwhile, added, p99', added, LOOP_GOAL_MS, median(probes)),
  ];
}

function absolute(row: string, p99: number, goal: number, p50: number): Row {
  return {
    row,
    baseline: '–',
    parley: `${format(p99)} ms (p50 ${format(p50)})`,
    ratio: '–',
    goal: `<= ${goal} ms`,
    met: p99 <= goal,
    figures: { p50, p99 },
  };
}
