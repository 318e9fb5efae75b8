import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../contract/ids.ts';
import type { Receipt } from '../../contract/turns.ts';
import { checkPromises } from '../harness/checker.ts';
import { AGENTS, Fixture } from './fixture.ts';

/** One session with a past, a turn that runs and a message that waits. */
interface Ground {
  id: string;
  settled: Receipt;
  running: Receipt;
  queued: Receipt;
}

type Act = (fixture: Fixture, ground: Ground) => Promise<number>;

const ACTS: Record<string, Act> = {
  send: async (fixture, { id }) =>
    (await fixture.ledger.send(fixture.parley, id, { content: `more ${newId()}` })).status,
  edit: async (fixture, { queued }) => {
    const answer = await fixture.parley.request('PATCH', `/api/turns/${queued.turn.id}`, { content: 'edited' });
    if (answer.status === 200) fixture.ledger.edited(queued.message.id, 'edited');
    return answer.status;
  },
  clear: async (fixture, { id }) => {
    fixture.ledger.doubt(id);
    const { status } = await fixture.parley.request('DELETE', `/api/sessions/${id}/messages`);
    if (status === 200) fixture.ledger.sessions.set(id, 'live');
    return status;
  },
  delete: async (fixture, { id }) => {
    fixture.ledger.doubt(id);
    const { status } = await fixture.parley.request('DELETE', `/api/sessions/${id}`);
    if (status === 204) fixture.ledger.sessions.set(id, 'gone');
    return status;
  },
  switch: async (fixture, { id }) =>
    (await fixture.parley.request('PATCH', `/api/sessions/${id}`, { agentId: AGENTS[1] })).status,
  rename: async (fixture, { id }) =>
    (await fixture.parley.request('PUT', `/api/sessions/${id}/name`, { name: `name ${newId()}` })).status,
  cancel: async (fixture, { id }) => (await fixture.parley.request('POST', `/api/sessions/${id}/cancellation`)).status,
  remove: async (fixture, { queued }) => {
    const { status } = await fixture.parley.request('DELETE', `/api/turns/${queued.turn.id}`);
    if (status === 204) fixture.ledger.removed(queued.message.id);
    return status;
  },
  retry: async (fixture, { settled }) =>
    (await fixture.parley.request('POST', `/api/turns/${settled.turn.id}/retries`, {})).status,
  revise: async (fixture, { settled }) => {
    const route = `/api/messages/${settled.message.id}/revisions`;
    const answer = await fixture.parley.request<Receipt>('POST', route, { content: `revised ${newId()}` });
    if (answer.status === 202) fixture.ledger.note(answer.body);
    return answer.status;
  },
  interrupt: async (fixture, { id }) =>
    (await fixture.ledger.send(fixture.parley, id, { content: `now ${newId()}`, busy: 'interrupt' })).status,
  fork: async (fixture, { id }) => (await fixture.parley.request('POST', `/api/sessions/${id}/forks`, {})).status,
  compact: async (fixture, { id }) =>
    (await fixture.parley.request('POST', `/api/sessions/${id}/compactions`, { keep: 0 })).status,
};

const NAMES = Object.keys(ACTS);
const PAIRS = NAMES.flatMap((first) => NAMES.map((second) => [first, second] as const));
/** What is refused is refused with a reason; nothing is ever a failure of the server. */
const ANSWERS = [200, 201, 202, 204, 404, 409];

describe('two things at once during a turn', { timeout: 60_000 }, () => {
  let fixture: Fixture;
  beforeAll(async () => {
    fixture = await Fixture.open({ delayMs: 3 });
  });
  afterAll(() => fixture.close());

  async function ground(): Promise<Ground> {
    const { id } = await fixture.session();
    const settled = await fixture.say(id, { content: `past ${newId()}` });
    const running = await fixture.send(id, { content: `running ${newId()}` });
    const queued = await fixture.send(id, { content: `queued ${newId()}` });
    return { id, settled, running, queued };
  }

  it.concurrent.each(NAMES)('%s with everything, together and one after the other', async (first) => {
    for (const [, second] of PAIRS.filter(([name]) => name === first)) {
      const together = await ground();
      const both = await Promise.all([ACTS[first]!(fixture, together), ACTS[second]!(fixture, together)]);
      const inTurn = await ground();
      const statuses = [await ACTS[first]!(fixture, inTurn), await ACTS[second]!(fixture, inTurn)];
      for (const status of [...both, ...statuses]) expect(ANSWERS, `${first}, ${second}`).toContain(status);
    }
  });

  it('P1-P9, P11, P14 hold after all pairs', async () => {
    await checkPromises(fixture.parley, fixture.ledger, { quietMs: 30_000 });
  });
});
