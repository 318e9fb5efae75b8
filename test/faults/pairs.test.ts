import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../contract/ids.ts';
import type { Receipt } from '../../contract/turns.ts';
import { checkPromises } from '../harness/checker.ts';
import { AGENTS, Scene } from './scene.ts';

/** One session with a past, a turn that runs and a message that waits. */
interface Ground {
  id: string;
  settled: Receipt;
  running: Receipt;
  queued: Receipt;
}

type Act = (scene: Scene, ground: Ground) => Promise<number>;

const ACTS: Record<string, Act> = {
  send: async (scene, { id }) => (await scene.ledger.send(scene.parley, id, { content: `more ${newId()}` })).status,
  edit: async (scene, { queued }) => {
    const answer = await scene.parley.request('PATCH', `/api/turns/${queued.turn.id}`, { content: 'edited' });
    if (answer.status === 200) scene.ledger.edited(queued.message.id, 'edited');
    return answer.status;
  },
  clear: async (scene, { id }) => {
    scene.ledger.doubt(id);
    const { status } = await scene.parley.request('DELETE', `/api/sessions/${id}/messages`);
    if (status === 200) scene.ledger.sessions.set(id, 'live');
    return status;
  },
  delete: async (scene, { id }) => {
    scene.ledger.doubt(id);
    const { status } = await scene.parley.request('DELETE', `/api/sessions/${id}`);
    if (status === 204) scene.ledger.sessions.set(id, 'gone');
    return status;
  },
  switch: async (scene, { id }) =>
    (await scene.parley.request('PATCH', `/api/sessions/${id}`, { agentId: AGENTS[1] })).status,
  rename: async (scene, { id }) =>
    (await scene.parley.request('PUT', `/api/sessions/${id}/name`, { name: `name ${newId()}` })).status,
  cancel: async (scene, { id }) => (await scene.parley.request('POST', `/api/sessions/${id}/cancellation`)).status,
  remove: async (scene, { queued }) => {
    const { status } = await scene.parley.request('DELETE', `/api/turns/${queued.turn.id}`);
    if (status === 204) scene.ledger.removed(queued.message.id);
    return status;
  },
  retry: async (scene, { settled }) =>
    (await scene.parley.request('POST', `/api/turns/${settled.turn.id}/retries`, {})).status,
  revise: async (scene, { settled }) => {
    const route = `/api/messages/${settled.message.id}/revisions`;
    const answer = await scene.parley.request<Receipt>('POST', route, { content: `revised ${newId()}` });
    if (answer.status === 202) scene.ledger.note(answer.body);
    return answer.status;
  },
  interrupt: async (scene, { id }) =>
    (await scene.ledger.send(scene.parley, id, { content: `now ${newId()}`, busy: 'interrupt' })).status,
  fork: async (scene, { id }) => (await scene.parley.request('POST', `/api/sessions/${id}/forks`, {})).status,
  compact: async (scene, { id }) =>
    (await scene.parley.request('POST', `/api/sessions/${id}/compactions`, { keep: 0 })).status,
};

const NAMES = Object.keys(ACTS);
const PAIRS = NAMES.flatMap((first) => NAMES.map((second) => [first, second] as const));
/** What is refused is refused with a reason; nothing is ever a failure of the server. */
const ANSWERS = [200, 201, 202, 204, 404, 409];

describe('two things at once during a turn', { timeout: 60_000 }, () => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await Scene.open({ delayMs: 3 });
  });
  afterAll(() => scene.close());

  async function ground(): Promise<Ground> {
    const { id } = await scene.session();
    const settled = await scene.say(id, { content: `past ${newId()}` });
    const running = await scene.send(id, { content: `running ${newId()}` });
    const queued = await scene.send(id, { content: `queued ${newId()}` });
    return { id, settled, running, queued };
  }

  it.concurrent.each(NAMES)('%s with everything, together and one after the other', async (first) => {
    for (const [, second] of PAIRS.filter(([name]) => name === first)) {
      const together = await ground();
      const both = await Promise.all([ACTS[first]!(scene, together), ACTS[second]!(scene, together)]);
      const inTurn = await ground();
      const statuses = [await ACTS[first]!(scene, inTurn), await ACTS[second]!(scene, inTurn)];
      for (const status of [...both, ...statuses]) expect(ANSWERS, `${first}, ${second}`).toContain(status);
    }
  });

  it('P1-P9, P11, P14 hold after all pairs', async () => {
    await checkPromises(scene.parley, scene.ledger, { quietMs: 30_000 });
  });
});
