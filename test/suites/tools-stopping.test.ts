import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../harness/parley.ts';
import { callsIn, kindsIn, resultsIn, wireMessages } from './calling.ts';
import { follow, isDurable } from './following.ts';
import { type ShopPlugin, startWithShop } from './shop-plugin.ts';
import type { TestServer } from './test-server.ts';

let shop: ShopPlugin;
let server: TestServer;

beforeAll(async () => {
  ({ server, shop } = await startWithShop({
    agents: ['ada', 'bob'],
    agent: { toolAllowlist: ['shop_*'] },
  }));
});
afterAll(async () => {
  await server.close();
  shop.close();
});

/** A turn in the middle of a call that lasts until the key is opened; with another that is over. */
async function working(key: string, tool = 'shop_wait') {
  const sessionId = await server.open();
  const { turn } = await server.send(sessionId, `call shop_count {"key":"${key}"}; ${tool} {"key":"${key}"}`);
  await shop.arrived(key);
  await until(
    async () => (await server.call('listToolCalls', { params: { turnId: turn.id } })).calls,
    (calls) => calls[0]?.state === 'complete',
  );
  return { sessionId, turnId: turn.id };
}

async function durable(sessionId: string): Promise<string[]> {
  const { lastSeq } = await server.session(sessionId);
  const frames = await follow(server, `/api/sessions/${sessionId}/events?after=0`, lastSeq);
  return frames.filter(isDurable).map(({ type }) => type);
}

describe('a turn that is cancelled during a call', () => {
  it('stops the tool itself; what was over stays, what was not is cancelled, and everyone is told', async () => {
    const { sessionId, turnId } = await working('c1');
    expect((await server.cancelTurn(turnId)).cancelled).toEqual([turnId]);
    await shop.gaveUp('c1');
    expect((await server.turn(turnId)).state).toBe('cancelled');
    const [, answer] = await server.messages(sessionId);
    expect(answer).toMatchObject({ status: 'interrupted', text: 'Step 0.' });
    expect(callsIn(answer!).map(({ state }) => state)).toEqual(['complete', 'cancelled']);
    expect(resultsIn(answer!).map(({ output }) => output)).toEqual(['c1 counted']);
    const { calls } = await server.call('listToolCalls', { params: { turnId } });
    expect(calls.map(({ state, endedAt }) => [state, endedAt !== null])).toEqual([
      ['complete', true],
      ['cancelled', true],
    ]);
    const types = await durable(sessionId);
    expect(types.slice(types.indexOf('tool.started'))).toEqual([
      ...['tool.started', 'tool.started', 'tool.ended'],
      ...['tool.ended', 'message.created', 'turn.settled'],
    ]);
  });

  it('leaves behind a tool that does not listen, and hears nothing more of it', async () => {
    const { sessionId, turnId } = await working('c2', 'shop_deaf');
    await server.cancelTurn(turnId);
    const { lastSeq } = await server.session(sessionId);
    shop.release('c2', 'too late');
    const { answer } = await server.say(sessionId, 'And now?');
    expect(answer!.text).toContain('No tools');
    const { calls } = await server.call('listToolCalls', { params: { turnId } });
    expect(calls[1]).toMatchObject({ state: 'cancelled', output: null });
    const later = await follow(
      server,
      `/api/sessions/${sessionId}/events?after=${lastSeq}`,
      (await server.session(sessionId)).lastSeq,
    );
    expect(later.some(({ type }) => type.startsWith('tool.'))).toBe(false);
  });

  it('tells the agent afterwards that nobody knows what came of the call', async () => {
    const { sessionId, turnId } = await working('c3');
    await server.cancelTurn(turnId);
    await server.say(sessionId, 'Go on.');
    const told = wireMessages(server.provider.requests.at(-1)!).filter(({ role }) => role === 'tool');
    expect(told.map(({ content }) => content)).toEqual(['c3 counted', expect.stringContaining('interrupted')]);
  });
});

describe('a message sent during a call', () => {
  it('that interrupts ends the call and is answered next', async () => {
    const { sessionId, turnId } = await working('i1');
    const { turn, answer } = await server.say(sessionId, { content: 'Stop that.', busy: 'interrupt' });
    expect(turn.state).toBe('complete');
    expect(answer!.text).toBe('No tools for “Stop that.”.');
    await shop.gaveUp('i1');
    expect(await server.turn(turnId)).toMatchObject({ state: 'interrupted', stopReason: 'interrupted_by_message' });
    const [, stopped] = await server.messages(sessionId);
    expect(callsIn(stopped!).map(({ state }) => state)).toEqual(['complete', 'interrupted']);
  });

  it('that steers is read once the calls of the step have answered', async () => {
    const { sessionId, turnId } = await working('s1');
    const steering = await server.send(sessionId, { content: 'Also this.', busy: 'steer' });
    expect(steering.turn.state).toBe('queued');
    shop.release('s1');
    expect((await server.settled(turnId)).state).toBe('complete');
    expect(await server.turn(steering.turn.id)).toMatchObject({ state: 'complete', steeredInto: turnId });
    const [, first, added, second] = await server.messages(sessionId);
    expect(kindsIn(first!)).toEqual(['text', 'tool_call', 'tool_call', 'tool_result', 'tool_result']);
    expect([added!.text, second!.text]).toEqual(['Also this.', 'No tools for “Also this.”.']);
    const roles = wireMessages(server.provider.requests.at(-1)!).map(({ role }) => role);
    expect(roles).toEqual(['system', 'user', 'assistant', 'tool', 'tool', 'user']);
  });

  it('that steers a turn which is then cancelled is not lost: it is answered by itself', async () => {
    const { sessionId, turnId } = await working('s2');
    const { turn } = await server.send(sessionId, { content: 'Also that.', busy: 'steer' });
    await server.cancelTurn(turnId);
    expect(await server.settled(turn.id)).toMatchObject({ state: 'complete', stopReason: 'stop', steeredInto: null });
    const [, stopped] = await server.messages(sessionId);
    expect(stopped).toMatchObject({ status: 'interrupted' });
    expect(callsIn(stopped!).map(({ state }) => state)).toEqual(['complete', 'cancelled']);
    expect((await server.transcript(sessionId)).slice(2)).toEqual([
      'user: Also that.',
      'ada: No tools for “Also that.”.',
    ]);
  });

  it('that steered and was taken back leaves the answer in one piece', async () => {
    const { sessionId, turnId } = await working('s3');
    const { turn } = await server.send(sessionId, { content: 'Never mind.', busy: 'steer' });
    await server.call('removeQueued', { params: { turnId: turn.id } });
    shop.release('s3');
    await server.settled(turnId);
    expect(await server.transcript(sessionId)).toHaveLength(2);
    expect(kindsIn((await server.messages(sessionId))[1]!).at(-1)).toBe('text');
  });
});

describe('a session that is wiped during a call', () => {
  it.each(['clearSession', 'deleteSession'] as const)(
    'by %s stops the tool and leaves nothing of it',
    async (route) => {
      const key = `w-${route}`;
      const { sessionId, turnId } = await working(key);
      await server.call(route, { params: { sessionId } });
      await shop.gaveUp(key);
      const db = new DatabaseSync(path.join(server.parley.home, 'parley.db'), { timeout: 5000 });
      for (const table of ['tool_calls', 'actions', 'partials', 'turn_requests']) {
        const column = table === 'partials' || table === 'turn_requests' ? 'turn_id' : 'session_id';
        const rows = db.prepare(`SELECT * FROM ${table} WHERE ${column} IN (?, ?)`).all(sessionId, turnId);
        expect([table, rows]).toEqual([table, []]);
      }
      db.close();
    },
  );
});
