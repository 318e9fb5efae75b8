import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { text } from '../harness/scripted-script.ts';
import { ask, ScriptedAgents, type ScriptedAnswer } from './scripted-agents.ts';
import { TestServer } from './test-server.ts';

let server: TestServer;
let sessionId: string;
let childSession: string;

beforeAll(async () => {
  server = await TestServer.start({
    agents: ['ada', 'bob'],
    agent: { toolAllowlist: ['agents_*'], agentAllowlist: null },
    config: {
      currency: 'EUR',
      prices: {
        'model-of-ada': { input: 2, output: 10, cachedInput: 1 },
        'model-*': { input: 100, output: 0 },
      },
    },
  });
  const scripted = new ScriptedAgents(server.provider);
  scripted.answers(
    'ada',
    used(1_000_000, 100_000, [ask('bob', 'one', { session: 'create' })]),
    used(500_000, 0, text('Done.'), 500_000),
  );
  scripted.answers('bob', used(10_000, 5, text('Yes.')));
  sessionId = await server.open('ada');
  const { turn } = await server.say(sessionId, 'Go.');
  const { root } = await server.call('turnTree', { params: { turnId: turn.id } });
  childSession = root.children[0]!.turn.sessionId;
});
afterAll(() => server.close());

function used(input: number, output: number, steps: ReturnType<typeof text>, cached = 0): ScriptedAnswer {
  return { steps, usage: { input, output, cached } };
}

const usage = (query: Record<string, string> = {}) => server.call('usage', { query });
const ADA = { turns: 1, inputTokens: 1_500_000, outputTokens: 100_000, cachedInputTokens: 500_000 };
const BOB = { turns: 1, inputTokens: 10_000, outputTokens: 5 };

describe('the usage report', () => {
  it('adds up by agent, largest first, at the configured prices', async () => {
    const report = await usage();
    expect(report.rows).toMatchObject([
      { key: 'ada', ...ADA, cost: expect.closeTo(2 + 1 + 0.5) },
      { key: 'bob', ...BOB, cost: expect.closeTo(1) },
    ]);
    expect(report.total).toMatchObject({ turns: 2, inputTokens: 1_510_000, cost: expect.closeTo(4.5) });
    expect(report).toMatchObject({ from: null, to: null, currency: 'EUR' });
  });

  it('by session, by model and by day', async () => {
    // What a delegate used belongs to the session in which the person began it.
    expect((await usage({ by: 'session' })).rows).toMatchObject([{ key: sessionId, turns: 2, inputTokens: 1_510_000 }]);
    expect(childSession).not.toBe(sessionId);
    expect((await usage({ by: 'delegation' })).rows).toMatchObject([{ key: 'ada → bob', ...BOB }]);
    expect((await usage({ by: 'model' })).rows.map(({ key }) => key)).toEqual(['model-of-ada', 'model-of-bob']);
    const today = new Date().toISOString().slice(0, 10);
    expect((await usage({ by: 'day' })).rows).toMatchObject([{ key: today, turns: 2, inputTokens: 1_510_000 }]);
  });

  it('of one agent, of one session, of a period', async () => {
    expect((await usage({ agent: 'bob' })).rows).toMatchObject([{ key: 'bob', ...BOB }]);
    expect((await usage({ session: sessionId })).rows).toMatchObject([
      { key: 'ada', ...ADA },
      { key: 'bob', ...BOB },
    ]);
    const hour = 3_600_000;
    const [before, after] = [new Date(Date.now() - hour).toISOString(), new Date(Date.now() + hour).toISOString()];
    expect((await usage({ from: before, to: after })).total.turns).toBe(2);
    expect(await usage({ to: before })).toMatchObject({ rows: [], total: { turns: 0, inputTokens: 0 } });
    expect((await usage({ from: after })).rows).toEqual([]);
  });

  it('still counts what was spent on a message that is deleted, until its session is', async () => {
    const before = await usage({ by: 'agent' });
    const [message] = await server.messages(sessionId);
    await server.call('deleteMessage', { params: { messageId: message!.id } });
    expect(await usage({ by: 'agent' })).toEqual(before);
    expect((await usage({ session: sessionId })).rows).toMatchObject([{ key: 'ada', ...ADA }]);
    await server.call('deleteSession', { params: { sessionId } });
    expect((await usage({ agent: 'ada' })).rows).toEqual([]);
  });

  it('refuses a period that ends before it begins, and a session that is not there', async () => {
    const query = { from: '2030-01-02T00:00:00Z', to: '2030-01-01T00:00:00Z' };
    await server.refused('invalid_request', 'usage', { query });
    await server.refused('session_not_found', 'usage', { query: { session: 'no-such' } });
  });
});
