import { inParallel, timeCall } from '../load/calls.ts';
import { Connection } from '../load/connection.ts';
import { crowdOfStreams, crowdOfWatched } from '../load/crowd.ts';
import { pause } from '../load/statistics.ts';
import { Tally } from '../load/tally.ts';
import { crowdPlan, describe } from '../rows/crowds.ts';
import { DELEGATING } from '../rows/delegations.ts';
import { PLAIN, type Script, Talker, withCalls } from '../rows/talker.ts';
import { TOOLS } from '../rows/tool-calls.ts';
import { ask, type Model } from '../sides/model.ts';
import type { Parley, ParleyOptions } from '../sides/parley.ts';
import { nowUs, type Stretches } from './stretches.ts';

export interface Load {
  options?: Partial<ParleyOptions>;
  /** Makes the load; returns a figure that says whether it was as usual. */
  make(fixture: Fixture): Promise<string>;
}

export interface Fixture {
  parley: Parley;
  model: Model;
  stretches: Stretches;
}

const TURNS = 1500;
const LISTS = 3000;

export const LOADS: Readonly<Record<string, Load>> = {
  turns: { make: turns },
  tools: { options: TOOLS, make: (fixture) => addedTo(fixture, 'a tool call', withCalls(1, 'todo'), 100) },
  delegation: { options: DELEGATING, make: (fixture) => addedTo(fixture, 'a delegation', withCalls(1, 'latest'), 60) },
  'fan-out': {
    options: DELEGATING,
    make: (fixture) => addedTo(fixture, '100 delegations', withCalls(100, 'create'), 10),
  },
  shared: {
    make: whole(async ({ parley, model }) => describe(await crowdOfWatched(parley, model, crowdPlan(true), 3))),
  },
  streams: { make: whole(async ({ parley, model }) => describe(await crowdOfStreams(parley, model, crowdPlan(true)))) },
  flood: { make: whole(flood) },
  lists: { make: lists },
  // The sources are six hundred files, and opening those is all that one would see.
  start: { options: { asPublished: true }, make: start },
};

async function turns({ parley, stretches }: Fixture): Promise<string> {
  const ids = await inParallel(TURNS / 10, 1, () => parley.open());
  const connection = new Connection(parley.child.port);
  return metered(parley, TURNS, () =>
    stretches.during('turn', TURNS, async () => {
      for (let turn = 0; turn < TURNS; turn++)
        await connection.stream(parley.turn(ids[turn % ids.length]!, ask(20)), new Tally());
    }),
  );
}

/** Plain turns first, then as many in which something is done: the difference is what it costs. */
async function addedTo(fixture: Fixture, name: string, script: Script, conversations: number): Promise<string> {
  const { parley, stretches } = fixture;
  const talker = new Talker(parley);
  const turns = script.calls === 1 ? 10 : 1;
  const times = conversations * turns;
  const talk = async (what: Script, count: number) => {
    for (let index = 0; index < count; index++) await talker.converse(what, turns);
  };
  await talk(PLAIN, 30);
  await talk(script, Math.ceil(30 / script.calls));
  const plain = await metered(parley, times, () =>
    stretches.during('plain turn', times, () => talk(PLAIN, conversations)),
  );
  const called = await metered(parley, times, () => stretches.during(name, times, () => talk(script, conversations)));
  talker.close();
  return `plain turns ${plain}, with ${name} ${called}`;
}

async function flood({ parley }: Fixture): Promise<string> {
  const ids = await inParallel(50, 10, () => parley.open());
  const tally = new Tally();
  await Promise.all(ids.map((id) => new Connection(parley.child.port).stream(parley.turn(id, ask(5000)), tally)));
  return `${tally.total} tokens`;
}

async function lists({ parley, stretches }: Fixture): Promise<string> {
  await inParallel(100, 4, () => parley.open());
  return metered(parley, LISTS, () =>
    stretches.during('list', LISTS, async () => {
      for (let round = 0; round < LISTS; round++) await timeCall(parley.child.url, parley.list(50));
    }),
  );
}

/** Everything until somebody can ask for something. */
async function start({ parley, stretches }: Fixture): Promise<string> {
  stretches.all.push({ name: 'start', times: 1, from: 0, to: nowUs() });
  await pause(1000);
  return `${parley.child.cpuMs().toFixed(0)} ms CPU, ${parley.child.rssMb().toFixed(0)} MB`;
}

function whole(make: (fixture: Fixture) => Promise<string>): (fixture: Fixture) => Promise<string> {
  return async (fixture) => {
    let figure = '';
    await fixture.stretches.during('load', 1, async () => {
      figure = await make(fixture);
    });
    return figure;
  };
}

async function metered(parley: Parley, times: number, work: () => Promise<void>): Promise<string> {
  const before = parley.child.cpuMs();
  await work();
  return `${((parley.child.cpuMs() - before) / times).toFixed(2)} ms CPU each`;
}
