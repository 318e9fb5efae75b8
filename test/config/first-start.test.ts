import { mkdirSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { AgentDefinition } from '../../contract/agents.ts';
import { discoverAgents, type Fetch } from '../../server/config/discover.ts';
import { firstStart, prepareHome } from '../../server/config/first-start.ts';
import { chatSettings, json, load, makeHome, put } from './home.ts';

/** A network on which only these addresses answer. */
function network(answers: Record<string, unknown>): Fetch & { asked: string[] } {
  const asked: string[] = [];
  const fetch = async (url: string) => {
    asked.push(url);
    if (!(url in answers)) throw new TypeError('fetch failed');
    return Response.json(answers[url]);
  };
  return Object.assign(fetch, { asked });
}

const OLLAMA = 'http://127.0.0.1:11434/api/tags';
const models = (...names: string[]) => ({ models: names.map((name) => ({ name })) });

describe('the first start', () => {
  test('fills an empty folder with demo agents that are ordinary files', async () => {
    const home = join(makeHome(), 'home');
    await prepareHome(home);
    const written = await firstStart(home, {}, network({}));
    expect(written).toEqual(['wisp/concierge', 'wisp/scheduler', 'wisp/reviewer', 'parley/builder']);
    const { current } = await load(home);
    expect([...current.agents.keys()].sort()).toEqual(written.toSorted());
    for (const agent of current.agents.values()) {
      expect(agent).toMatchObject({ unavailableReason: null, provider: 'demo' });
      expect(agent.resolved).toMatchObject({
        welcomeMessage: expect.any(String),
        description: expect.any(String),
        systemPrompt: expect.any(String),
        color: expect.any(String),
        icon: expect.any(String),
      });
      expect(agent.source).toBe(`agents/${agent.agentId}.json`);
    }
  });

  test('makes everything for the owner alone', async () => {
    const home = join(makeHome(), 'home');
    mkdirSync(home, { mode: 0o755 });
    await prepareHome(home);
    await firstStart(home, {}, network({}));
    const mode = (path: string) => statSync(join(home, path)).mode & 0o777;
    expect([
      mode('.'),
      mode('parley.json'),
      mode('agents'),
      mode('agents/wisp'),
      mode('agents/wisp/reviewer.json'),
    ]).toEqual([0o700, 0o600, 0o700, 0o700, 0o600]);
  });

  test('happens once, and leaves what is there alone', async () => {
    const home = makeHome({ 'agents/wisp/concierge.json': { displayName: 'Mine' } });
    expect(await firstStart(home, {}, network({}))).toEqual(['wisp/scheduler', 'wisp/reviewer', 'parley/builder']);
    expect(json(home, 'agents/wisp/concierge.json')).toEqual({ displayName: 'Mine' });
    expect(await firstStart(home, {}, network({}))).toEqual([]);
    const other = makeHome({ 'parley.json': {} });
    expect(await firstStart(other, {}, network({}))).toEqual([]);
    expect(readdirSync(other)).toEqual(['parley.json']);
  });

  test('also writes what the environment offers, and no key', async () => {
    const home = makeHome();
    const env = { OPENAI_API_KEY: 'sk-secret', ANTHROPIC_API_KEY: 'sk-secret' };
    await firstStart(home, env, network({ [OLLAMA]: models('llama3.2:3b') }));
    const { current } = await load(home, { env });
    for (const id of ['openai', 'claude', 'ollama/llama3.2-3b']) {
      expect(current.agents.get(id)).toMatchObject({ unavailableReason: null, systemPrompt: expect.any(String) });
    }
    expect(chatSettings(current.agents.get('claude')!).apiKey()).toBe('sk-secret');
    const later = await load(home);
    expect(later.state.valid).toBe(true);
    expect(later.current.agents.get('claude')?.unavailableReason).toContain('ANTHROPIC_API_KEY');
  });
});

describe('discovery', () => {
  const discover = async (env: Record<string, string>, answers: Record<string, unknown> = {}, known: string[] = []) => {
    const agents = await discoverAgents(env, network(answers), known);
    for (const agent of agents) AgentDefinition.parse(agent);
    return agents;
  };
  const idsOf = (agents: AgentDefinition[]) => agents.map(({ agentId }) => agentId);

  test('finds nothing where there is nothing', async () => {
    expect(await discover({ OPENAI_API_KEY: '' })).toEqual([]);
  });

  test('offers only what is not configured yet', async () => {
    const env = { OPENAI_API_KEY: 'x', ANTHROPIC_API_KEY: 'x' };
    expect(idsOf(await discover(env))).toEqual(['openai', 'claude']);
    expect(idsOf(await discover(env, {}, ['claude', 'other']))).toEqual(['openai']);
  });

  test('asks an OpenAI-compatible server for its model', async () => {
    const env = { OPENAI_BASE_URL: 'http://localhost:8000/v1' };
    const [agent] = await discover(env, { 'http://localhost:8000/v1/models': { data: [{ id: 'qwen' }] } });
    expect(agent).toMatchObject({
      agentId: 'openai-compatible',
      chat: { provider: 'openai-compatible', model: 'qwen', baseUrl: '${OPENAI_BASE_URL}' },
    });
    expect(agent?.chat).not.toHaveProperty('apiKey');
    const [named] = await discover({ ...env, OPENAI_MODEL: 'mine' });
    expect(named?.chat?.model).toBe('mine');
    const both = await discover({ ...env, OPENAI_API_KEY: 'sk-secret' });
    expect(both.find(({ agentId }) => agentId === 'openai-compatible')?.chat?.apiKey).toBe('${OPENAI_API_KEY}');
    expect(JSON.stringify(both)).not.toContain('sk-secret');
  });

  test('offers an OpenAI-compatible server that names no model, and says what is missing', async () => {
    const env = { OPENAI_BASE_URL: 'http://localhost:8000' };
    const home = makeHome({ 'parley.json': { agents: await discover(env) } });
    const { current } = await load(home, { env });
    expect(current.agents.get('openai-compatible')?.unavailableReason).toBe('Set chat.model to the name of a model.');
  });

  test('gives every chat model of Ollama a clean name, eight at most', async () => {
    const names = ['llama3.2:latest', 'hf.co/org/Some Model:Q4', 'nomic-embed-text', '../../etc:passwd', ':::'];
    const many = Array.from({ length: 10 }, (_, index) => `m${index}`);
    const agents = await discover({}, { [OLLAMA]: models(...names, ...many) });
    expect(idsOf(agents).slice(0, 4)).toEqual([
      'ollama/llama3.2',
      'ollama/hf.co-org-Some-Model-Q4',
      'ollama/etc-passwd',
      'ollama/m0',
    ]);
    expect(agents).toHaveLength(8);
    expect(agents[0]?.chat).toEqual({
      provider: 'openai-compatible',
      model: 'llama3.2:latest',
      baseUrl: 'http://127.0.0.1:11434/v1',
    });
  });

  test.each([
    ['0.0.0.0', 'http://127.0.0.1:11434'],
    ['0.0.0.0:1234', 'http://127.0.0.1:1234'],
    [':1234', 'http://127.0.0.1:1234'],
    ['box', 'http://box:11434'],
    ['http://box:1234/', 'http://box:1234'],
    ['https://box', 'https://box'],
  ])('understands OLLAMA_HOST=%s', async (host, url) => {
    const agents = await discover({ OLLAMA_HOST: host }, { [`${url}/api/tags`]: models('m') });
    expect(agents[0]?.chat?.baseUrl).toBe(`${url}/v1`);
  });

  test('is not held up by a server that does not answer, nor confused by nonsense', async () => {
    const silent: Fetch = (_, { signal }) =>
      new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));
    const started = Date.now();
    expect(await discoverAgents({}, silent)).toEqual([]);
    expect(Date.now() - started).toBeLessThan(1000);
    for (const nonsense of [null, [], { models: [{}] }, { models: 'x' }, 'text']) {
      expect(await discover({}, { [OLLAMA]: nonsense })).toEqual([]);
    }
  });

  test('what was found can be created as agents', async () => {
    const configuration = await load(makeHome());
    const found = await discover({ OPENAI_API_KEY: 'x' }, {}, [...configuration.current.agents.keys()]);
    for (const definition of found) await configuration.createAgent(definition);
    expect(configuration.current.agents.has('openai')).toBe(true);
  });
});

test('an agent that another file replaces during the first start does no harm', async () => {
  const home = makeHome();
  put(home, 'agents/wisp/scheduler.json', { icon: 'x' });
  await Promise.all([firstStart(home, {}, network({})), firstStart(home, {}, network({}))]);
  expect((await load(home)).current.agents.size).toBe(4);
});
