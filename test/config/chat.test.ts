import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { agentDetailView, agentView } from '../../server/agents/definitions/views.ts';
import { resolve } from './home.ts';

/** No agent may run commands. */
const NOBODY = { tools: { bash: { agents: [] } } };

const chat = async (settings: object, env: Record<string, string> = {}) =>
  resolve([{ agentId: 'a', chat: settings }], 'a', env);

describe('each provider has its defaults', () => {
  test('openai', async () => {
    const agent = await chat({}, { OPENAI_API_KEY: 'sk-1' });
    expect(agent.chat).toMatchObject({ provider: 'openai', model: 'gpt-5.1', baseUrl: 'https://api.openai.com/v1' });
    expect(agent.chat.apiKey()).toBe('sk-1');
    expect(agent.unavailableReason).toBeNull();
  });

  test('anthropic', async () => {
    const agent = await chat({ provider: 'anthropic' }, { ANTHROPIC_API_KEY: 'sk-2' });
    expect(agent.chat).toMatchObject({ model: 'claude-sonnet-4-5', baseUrl: 'https://api.anthropic.com/v1' });
    expect(agent.chat.apiKey()).toBe('sk-2');
  });

  test('demo, which needs nothing', async () => {
    const agent = await chat({ provider: 'demo' }, { OPENAI_API_KEY: 'sk-1' });
    expect(agent.chat).toMatchObject({ provider: 'demo', model: 'demo', baseUrl: undefined });
    expect(agent.chat.apiKey()).toBeUndefined();
    expect(agent.unavailableReason).toBeNull();
  });

  test('openai-compatible, which takes URL and key of the environment only together', async () => {
    const env = { OPENAI_BASE_URL: 'http://localhost:1234/v1/', OPENAI_API_KEY: 'sk-1' };
    const agent = await chat({ provider: 'openai-compatible', model: 'm' }, env);
    expect(agent.chat.baseUrl).toBe('http://localhost:1234/v1');
    expect(agent.chat.apiKey()).toBe('sk-1');
    const elsewhere = await chat({ provider: 'openai-compatible', model: 'm', baseUrl: 'http://other' }, env);
    expect(elsewhere.chat.apiKey()).toBeUndefined();
    expect(elsewhere.unavailableReason).toBeNull();
  });

  test('every setting is passed on', async () => {
    const settings = {
      temperature: 0.5,
      maxTokens: 100,
      reasoningEffort: 'low',
      contextWindow: 9000,
      compactionThreshold: 0.5,
    };
    expect((await chat({ ...settings, provider: 'demo', model: 'other' })).chat).toMatchObject({
      ...settings,
      model: 'other',
    });
  });
});

describe('what is missing makes the agent unavailable and says what to set', () => {
  test.each<[object, Record<string, string>, string]>([
    [{}, {}, 'Set OPENAI_API_KEY in the environment of the server and start it again, or change chat.apiKey.'],
    [{}, { OPENAI_API_KEY: ' ' }, 'Set OPENAI_API_KEY in the environment'],
    [{ provider: 'anthropic' }, {}, 'Set ANTHROPIC_API_KEY in the environment'],
    [{ apiKey: '${MY_KEY}' }, { OPENAI_API_KEY: 'x' }, 'Set MY_KEY in the environment'],
    [{ provider: 'openai-compatible', baseUrl: 'http://x' }, {}, 'Set chat.model to the name of a model.'],
    [{ provider: 'openai-compatible', model: 'm' }, {}, 'Set chat.baseUrl, or OPENAI_BASE_URL in the environment'],
    [{ baseUrl: '${MY_URL}', apiKey: 'k' }, {}, 'Set MY_URL in the environment'],
    [{ baseUrl: '${MY_URL}', apiKey: 'k' }, { MY_URL: 'http://u:p@x' }, 'Set chat.baseUrl to an http or https URL'],
  ])('%j', async (settings, env, reason) => {
    const agent = await chat(settings, env);
    expect(agent.unavailableReason).toContain(reason);
    expect(agentView(agent, NOBODY)).toMatchObject({ available: false, unavailableReason: agent.unavailableReason });
  });
});

describe('a key shows nowhere', () => {
  const everything = async (settings: object, env: Record<string, string>) => {
    const agent = await chat(settings, env);
    const shown = [agent, agentView(agent, NOBODY), agentDetailView(agent, NOBODY), { ...agent.chat }];
    return {
      agent,
      shown: shown.map((value) => JSON.stringify(value) + inspect(value, { depth: 9, showHidden: true })).join(''),
    };
  };

  test('that came from the environment: only its name does', async () => {
    const { agent, shown } = await everything({ apiKey: '${MY_KEY}' }, { MY_KEY: 'sk-secret' });
    expect(agent.chat.apiKey()).toBe('sk-secret');
    expect(shown).not.toContain('sk-secret');
    expect(agent.definition.chat?.apiKey).toBe('${MY_KEY}');
    expect(agent.resolved.chat?.apiKey).toBe('${MY_KEY}');
  });

  test.each(['sk-secret', 'sk-secret${MY_KEY}', '${MY_KEY}sk-secret'])(
    'that is written in a file: %s',
    async (apiKey) => {
      const { agent, shown } = await everything({ apiKey }, { MY_KEY: 'sk-secret' });
      expect(agent.chat.apiKey()).toContain('sk-secret');
      expect(shown).not.toContain('sk-secret');
      expect(agent.definition.chat?.apiKey).toBe('…');
    },
  );

  test('that is inherited', async () => {
    const agents = [
      { agentId: 'base', chat: { apiKey: 'sk-secret' } },
      { agentId: 'own', extends: 'base' },
    ];
    const own = await resolve(agents, 'own');
    expect(own.chat.apiKey()).toBe('sk-secret');
    expect(own.resolved.chat?.apiKey).toBe('…');
    expect(JSON.stringify(own)).not.toContain('sk-secret');
  });

  test('through the name of the model, which everybody sees', async () => {
    const agent = await chat({ model: '${MY_KEY}' }, { MY_KEY: 'sk-secret', OPENAI_API_KEY: 'x' });
    expect(JSON.stringify(agentView(agent, NOBODY))).not.toContain('sk-secret');
  });
});
