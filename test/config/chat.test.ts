import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { agentDetailView, agentView } from '../../server/config/views.ts';
import { chatSettings, resolve } from './home.ts';

/** No agent may run commands. */
const NOBODY = { tools: { bash: { agents: [] } }, agents: new Map() };

const chat = async (settings: object, env: Record<string, string> = {}) =>
  resolve([{ agentId: 'a', chat: settings }], 'a', env);

describe('each provider has its defaults', () => {
  test('openai', async () => {
    const agent = await chat({}, { OPENAI_API_KEY: 'sk-1' });
    expect(chatSettings(agent)).toMatchObject({
      provider: 'openai',
      model: 'gpt-5.1',
      baseUrl: 'https://api.openai.com/v1',
    });
    expect(chatSettings(agent).apiKey()).toBe('sk-1');
    expect(agent.unavailableReason).toBeNull();
  });

  test('anthropic', async () => {
    const agent = await chat({ provider: 'anthropic' }, { ANTHROPIC_API_KEY: 'sk-2' });
    expect(chatSettings(agent)).toMatchObject({ model: 'claude-sonnet-4-5', baseUrl: 'https://api.anthropic.com/v1' });
    expect(chatSettings(agent).apiKey()).toBe('sk-2');
  });

  test('demo, which needs nothing', async () => {
    const agent = await chat({ provider: 'demo' }, { OPENAI_API_KEY: 'sk-1' });
    expect(chatSettings(agent)).toMatchObject({ provider: 'demo', model: 'demo', baseUrl: undefined });
    expect(chatSettings(agent).apiKey()).toBeUndefined();
    expect(agent.unavailableReason).toBeNull();
  });

  test('openai-compatible, which takes URL and key of the environment only together', async () => {
    const env = { OPENAI_BASE_URL: 'http://localhost:1234/v1/', OPENAI_API_KEY: 'sk-1' };
    const agent = await chat({ provider: 'openai-compatible', model: 'm' }, env);
    expect(chatSettings(agent).baseUrl).toBe('http://localhost:1234/v1');
    expect(chatSettings(agent).apiKey()).toBe('sk-1');
    const elsewhere = await chat({ provider: 'openai-compatible', model: 'm', baseUrl: 'http://other' }, env);
    expect(chatSettings(elsewhere).apiKey()).toBeUndefined();
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
    expect(chatSettings(await chat({ ...settings, provider: 'demo', model: 'other' }))).toMatchObject({
      ...settings,
      model: 'other',
    });
  });
});

describe('what is missing makes the agent unavailable and says what to set', () => {
  test.each<[object, Record<string, string>, string]>([
    [{}, {}, "Set OPENAI_API_KEY in the server's environment and restart Parley, or change chat.apiKey."],
    [{}, { OPENAI_API_KEY: ' ' }, 'Set OPENAI_API_KEY in'],
    [{ provider: 'anthropic' }, {}, 'Set ANTHROPIC_API_KEY in'],
    [{ apiKey: '${MY_KEY}' }, { OPENAI_API_KEY: 'x' }, 'Set MY_KEY in'],
    [{ provider: 'openai-compatible', baseUrl: 'http://x' }, {}, 'Set chat.model to the name of a model.'],
    [{ provider: 'openai-compatible', model: 'm' }, {}, 'Set chat.baseUrl, or set OPENAI_BASE_URL in'],
    [{ baseUrl: '${MY_URL}', apiKey: 'k' }, {}, 'Set MY_URL in'],
    [{ baseUrl: 'http://other' }, { OPENAI_API_KEY: 'x' }, 'Set chat.apiKey: OPENAI_API_KEY is sent only to'],
    [{ baseUrl: '${MY_URL}' }, { OPENAI_API_KEY: 'x', MY_URL: 'http://other' }, 'Set chat.apiKey: OPENAI_API_KEY is'],
    [
      { provider: 'anthropic', baseUrl: 'https://api.openai.com/v1' },
      { ANTHROPIC_API_KEY: 'x', OPENAI_BASE_URL: 'https://api.openai.com' },
      'Set chat.apiKey: ANTHROPIC_API_KEY is sent only to',
    ],
    [{ baseUrl: '${MY_URL}', apiKey: 'k' }, { MY_URL: 'http://u:p@x' }, 'Set chat.baseUrl to an http or https URL'],
  ])('%j', async (settings, env, reason) => {
    const agent = await chat(settings, env);
    expect(agent.unavailableReason).toContain(reason);
    expect(agentView(agent, NOBODY)).toMatchObject({
      available: false,
      unavailableReason: agent.unavailableReason,
      unavailableText: { key: expect.stringMatching(/^unavailable\./) },
    });
  });
});

describe('the key of the environment', () => {
  const keyFor = async (baseUrl: string, env: Record<string, string> = {}) =>
    chatSettings(await chat({ baseUrl }, { OPENAI_API_KEY: 'sk-1', ...env })).apiKey();

  test('goes to the provider and to the host that the environment names, and to no other', async () => {
    expect(await keyFor('https://api.openai.com/v2')).toBe('sk-1');
    expect(await keyFor('http://proxy:80/openai', { OPENAI_BASE_URL: 'http://proxy/v1' })).toBe('sk-1');
    for (const url of ['http://api.openai.com/v1', 'https://api.openai.com.evil.test/v1', 'https://evil.test'])
      expect(await keyFor(url, { OPENAI_BASE_URL: 'http://proxy/v1' })).toBeUndefined();
  });

  test('does not follow extends to another host', async () => {
    const agents = [
      { agentId: 'base', chat: { provider: 'openai', model: 'gpt-5.1' } },
      { agentId: 'heir', extends: 'base', chat: { baseUrl: 'http://evil.test' } },
    ];
    const heir = await resolve(agents, 'heir', { OPENAI_API_KEY: 'sk-1' });
    expect(chatSettings(heir).apiKey()).toBeUndefined();
    expect(heir.unavailableReason).toContain('Set chat.apiKey');
  });
});

describe('a key shows nowhere', () => {
  const everything = async (settings: object, env: Record<string, string>) => {
    const agent = await chat(settings, env);
    const shown = [agent, agentView(agent, NOBODY), agentDetailView(agent, NOBODY), { ...chatSettings(agent) }];
    return {
      agent,
      shown: shown.map((value) => JSON.stringify(value) + inspect(value, { depth: 9, showHidden: true })).join(''),
    };
  };

  test('that came from the environment: only its name does', async () => {
    const { agent, shown } = await everything({ apiKey: '${MY_KEY}' }, { MY_KEY: 'sk-secret' });
    expect(chatSettings(agent).apiKey()).toBe('sk-secret');
    expect(shown).not.toContain('sk-secret');
    expect(agent.definition.chat?.apiKey).toBe('${MY_KEY}');
    expect(agent.resolved.chat?.apiKey).toBe('${MY_KEY}');
  });

  test.each(['sk-secret', 'sk-secret${MY_KEY}', '${MY_KEY}sk-secret'])(
    'that is written in a file: %s',
    async (apiKey) => {
      const { agent, shown } = await everything({ apiKey }, { MY_KEY: 'sk-secret' });
      expect(chatSettings(agent).apiKey()).toContain('sk-secret');
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
    expect(chatSettings(own).apiKey()).toBe('sk-secret');
    expect(own.resolved.chat?.apiKey).toBe('…');
    expect(JSON.stringify(own)).not.toContain('sk-secret');
  });

  test('through the name of the model, which everybody sees', async () => {
    const agent = await chat({ model: '${MY_KEY}' }, { MY_KEY: 'sk-secret', OPENAI_API_KEY: 'x' });
    expect(JSON.stringify(agentView(agent, NOBODY))).not.toContain('sk-secret');
  });
});
