import { expect, test } from 'vitest';
import { checkConfiguration } from '../../server/config/configuration.ts';
import { listAgents } from '../../server/config/views.ts';
import { chatSettings, load, makeHome, resolve } from './home.ts';
import { SEED } from './seed.ts';

test('the configuration of the design document loads as written', async () => {
  const { current, state } = await load(makeHome({ 'parley.json': SEED }));
  expect(state).toMatchObject({ valid: true, issues: [] });
  expect([...current.agents.keys()]).toEqual(['reading-list', 'todo', 'journal', 'general']);
  expect(current.agents.get('reading-list')).toMatchObject({
    displayName: 'Reading List Manager',
    description: '',
    kind: 'chat',
    toolAllowlist: ['reading_list_*'],
    toolDenylist: ['reading_list_delete'],
    toolExposure: 'mixed',
    skillAllowlist: ['notes'],
    skillDenylist: null,
    capabilityAllowlist: ['lists.*'],
    capabilityDenylist: ['lists.write'],
    agentAllowlist: ['todo', 'journal'],
    agentDenylist: null,
    uiVisible: true,
    apiExposed: false,
    source: 'parley.json',
  });
  expect(current.agents.get('general')).toMatchObject({ toolAllowlist: null, toolExposure: 'tools' });
});

test('an agent that says only its id gets sensible values for everything', async () => {
  const agent = await resolve([{ agentId: 'wisp/reading-list' }], 'wisp/reading-list', { OPENAI_API_KEY: 'sk-1' });
  expect(agent).toMatchObject({
    displayName: 'Reading List',
    description: '',
    kind: 'chat',
    parentAgentId: null,
    systemPrompt: null,
    toolExposure: 'tools',
    uiVisible: true,
    apiExposed: false,
    icon: null,
    welcomeMessage: null,
    unavailableReason: null,
  });
  expect(chatSettings(agent)).toMatchObject({ provider: 'openai', contextWindow: 128_000, compactionThreshold: 0.8 });
});

test('a data folder without any file has the defaults and no agents', async () => {
  const { current } = await load(makeHome());
  expect(current.agents.size).toBe(0);
  expect(current.server).toEqual({ host: '127.0.0.1', port: 4747, allowedHosts: [] });
  expect(current.limits.bodyBytes).toBe(10_000_000);
});

test('agents without a colour get different ones, the same at every load; a configured one stays', async () => {
  const agents = [
    ...['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((agentId) => ({ agentId })),
    { agentId: 'h', color: '#123456' },
  ];
  const colors = async () => {
    const { current } = await load(makeHome({ 'parley.json': { agents } }));
    return listAgents(current).map(({ color }) => color);
  };
  const given = await colors();
  expect(await colors()).toEqual(given);
  expect(new Set(given).size).toBe(8);
  expect(given.every((color) => /^#[0-9a-f]{6}$/.test(color))).toBe(true);
  expect(given.at(-1)).toBe('#123456');
});

test('hidden agents are listed only to those who ask for them', async () => {
  const agents = [{ agentId: 'shown' }, { agentId: 'hidden', uiVisible: false }];
  const { current } = await load(makeHome({ 'parley.json': { agents } }));
  expect(listAgents(current).map(({ agentId }) => agentId)).toEqual(['shown']);
  expect(listAgents(current, { includeHidden: true }).map(({ agentId }) => agentId)).toEqual(['shown', 'hidden']);
});

test('the configuration in force cannot be changed by those who read it', async () => {
  const { current } = await load(makeHome({ 'parley.json': SEED }));
  const agent = current.agents.get('todo')!;
  expect(() => (current.agents as Map<string, unknown>).delete('todo')).toThrow(TypeError);
  expect(() => (agent.toolAllowlist as string[]).push('*')).toThrow(TypeError);
  expect(() => Object.assign(chatSettings(agent), { model: 'other' })).toThrow(TypeError);
  expect(() => Object.assign(current.server, { host: '0.0.0.0' })).toThrow(TypeError);
});

test('the command line wins over the environment, and that over the file', async () => {
  const home = makeHome({ 'parley.json': { server: { host: '127.0.0.2', port: 1111 }, log: { level: 'warn' } } });
  expect((await load(home)).current).toMatchObject({
    server: { host: '127.0.0.2', port: 1111 },
    log: { level: 'warn' },
  });
  const env = { PARLEY_HOST: 'localhost', PARLEY_PORT: '2222', PARLEY_LOG_LEVEL: 'error' };
  expect((await load(home, { env })).current).toMatchObject({
    server: { host: 'localhost', port: 2222 },
    log: { level: 'error' },
  });
  const overrides = { port: 3333, logLevel: 'debug' } as const;
  expect((await load(home, { env, overrides })).current).toMatchObject({
    server: { host: 'localhost', port: 3333 },
    log: { level: 'debug' },
  });
});

test('a data folder can be judged without starting anything', async () => {
  const good = await checkConfiguration(makeHome({ 'parley.json': SEED }), {});
  expect(good).toMatchObject({ valid: true, issues: [] });
  expect(good.agents.find(({ agentId }) => agentId === 'todo')).toMatchObject({ available: false });
  const bad = await checkConfiguration(makeHome({ 'parley.json': { agents: [{}] } }), {});
  expect(bad).toEqual({
    valid: false,
    issues: ['agents[0].agentId is required'],
    agents: [],
    plugins: [],
    warnings: [],
  });
});
