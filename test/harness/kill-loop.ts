import { AGENTS, type Fixture, isDeath } from '../faults/fixture.ts';
import { checkPromises } from './checker.ts';

export interface KillRound {
  /** Where in time the server is killed. */
  afterMs: number;
  sessions: number;
}

/** Load from many sides, a kill -9 in the middle of it, a start, and everything is read back. */
export async function killRound(fixture: Fixture, round: KillRound, random: () => number): Promise<void> {
  const ids = Array.from({ length: round.sessions }, (_, index) => `s-${Date.now()}-${index}`);
  const load = Promise.all(ids.map((id) => talk(fixture, id, random)));
  await new Promise((resolve) => setTimeout(resolve, round.afterMs));
  await fixture.parley.kill();
  await load;
  await fixture.parley.restart({});
  await checkPromises(fixture.parley, fixture.ledger, { quietMs: 60_000 });
}

/** One person who does not stop talking until the server is gone. */
async function talk(fixture: Fixture, id: string, random: () => number): Promise<void> {
  try {
    await fixture.session(AGENTS[0], { id });
    for (let index = 0; index < 1000; index++) await act(fixture, id, index, random);
  } catch (error) {
    if (!isDeath(error)) throw error;
  }
}

async function act(fixture: Fixture, id: string, index: number, random: () => number): Promise<void> {
  const dice = random();
  const content = `message ${index} of ${id}`;
  if (dice < 0.15) await fixture.ledger.send(fixture.parley, id, { content, guest: AGENTS[2]! });
  else if (dice < 0.25) await fixture.ledger.send(fixture.parley, id, { content, agent: AGENTS[1]! });
  else if (dice < 0.35) await fixture.ledger.send(fixture.parley, id, { content, busy: 'interrupt' });
  else if (dice < 0.42) await fixture.parley.request('POST', `/api/sessions/${id}/cancellation`);
  else if (dice < 0.47) await fixture.parley.request('POST', `/api/sessions/${id}/compactions`, { keep: 1 });
  else if (dice < 0.5) await fixture.parley.request('POST', `/api/sessions/${id}/forks`, {});
  else if (dice < 0.53) await wipe(fixture, id);
  else await fixture.ledger.send(fixture.parley, id, { content });
  await new Promise((resolve) => setTimeout(resolve, random() * 60));
}

async function wipe(fixture: Fixture, id: string): Promise<void> {
  fixture.ledger.doubt(id);
  await fixture.parley.ok('DELETE', `/api/sessions/${id}/messages`);
  fixture.ledger.cleared(id);
  fixture.ledger.sessions.set(id, 'live');
}

/** The same seed gives the same sequence, so that a failure can be had again. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
