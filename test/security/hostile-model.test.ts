import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { text } from '../harness/scripted-script.ts';
import { callsIn, resultsIn } from '../suites/calling.ts';
import { TestServer } from '../suites/test-server.ts';

const PROVIDERS = ['openai-compatible', 'openai', 'anthropic'] as const;
const DEEP = `${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}`;

let server: TestServer;

beforeAll(async () => {
  server = await TestServer.start({ agents: ['ada'], agent: { toolAllowlist: ['todo_*'] } });
  const { chat } = await server.call('getAgent', { params: { agentId: 'ada' } }).then(({ definition }) => definition);
  const more = PROVIDERS.map((provider) => ({
    agentId: provider,
    displayName: provider,
    description: 'Test agent.',
    chat: { ...chat, provider, apiKey: 'test-key' },
    toolAllowlist: ['todo_*'],
  }));
  for (const body of more) await server.call('createAgent', { body });
});
afterAll(() => server.close());

describe('a model that nests the arguments of a call very deep', () => {
  it.each(PROVIDERS)('%s: the call is refused, and the session goes on', async (provider) => {
    const sessionId = await server.open(provider);
    let requests = 0;
    server.provider.script(() =>
      requests++ === 0
        ? { steps: [{ kind: 'toolCall', id: 'deep', name: 'todo_add', input: DEEP }] }
        : { steps: text('Still here.') },
    );
    const { answer, turn } = await server.say(sessionId, 'Break it.');
    expect(turn.state).toBe('complete');
    expect(callsIn(answer!)).toMatchObject([{ name: 'todo_add', state: 'failed' }]);
    expect(resultsIn(answer!)[0]!.output).toContain('nested more than 64 levels deep');
    const next = await server.say(sessionId, 'And now?');
    expect([next.turn.state, next.answer?.text]).toEqual(['complete', 'Still here.']);
  });
});

describe('a model that asks for very many calls at once', () => {
  const asksFor = (count: number) => {
    const calls = Array.from({ length: count }, (_, index) => ({
      kind: 'toolCall' as const,
      id: `call-${index}`,
      name: 'todo_add',
      input: JSON.stringify({ text: `item ${index}` }),
    }));
    let requests = 0;
    server.provider.script(() => ({ steps: requests++ === 0 ? calls : text('Done.') }));
  };

  it('has 128 of them carried out', async () => {
    asksFor(128);
    const { answer, turn } = await server.say(await server.open('ada'), 'Go.');
    expect(turn.state).toBe('complete');
    expect(callsIn(answer!)).toHaveLength(128);
  });

  it('has none of 129 carried out, and the turn says why', async () => {
    asksFor(129);
    const { turn } = await server.say(await server.open('ada'), 'Go.');
    expect(turn).toMatchObject({ state: 'failed', error: { code: 'too_many_tool_calls' } });
    expect((await server.call('listToolCalls', { params: { turnId: turn.id } })).calls).toEqual([]);
  });
});
