import { describe, expect, test } from 'vitest';
import { chatSettings, issuesOf, load, makeHome, resolve } from './home.ts';

const LISTS = [
  'toolAllowlist',
  'toolDenylist',
  'skillAllowlist',
  'skillDenylist',
  'capabilityAllowlist',
  'capabilityDenylist',
  'agentAllowlist',
  'agentDenylist',
] as const;

describe('a list that is absent inherits, null lifts the restriction, [] allows nothing', () => {
  const nothing = Symbol('absent');
  const written = (list: unknown) => (list === nothing ? {} : { list });
  const cases = [nothing, null, [], ['x_*']].flatMap((base) =>
    [nothing, null, [], ['y_*']].map((own) => ({ base, own, effective: own === nothing ? base : own })),
  );

  test.each(LISTS)('%s', async (name) => {
    for (const { base, own, effective } of cases) {
      const rename = (value: { list?: unknown }) => ('list' in value ? { [name]: value.list } : {});
      const agents = [
        { agentId: 'base', ...rename(written(base)) },
        { agentId: 'middle', extends: 'base' },
        { agentId: 'own', extends: 'middle', ...rename(written(own)) },
      ];
      const agent = await resolve(agents, 'own');
      expect(agent[name], `${String(base)} under ${String(own)}`).toEqual(effective === nothing ? null : effective);
    }
  });
});

test('objects merge deeply, arrays replace, null clears back to the default', async () => {
  const agents = [
    {
      agentId: 'base',
      displayName: 'Base',
      systemPrompt: 'Be brief.',
      toolAllowlist: ['a', 'b'],
      color: '#111111',
      chat: { provider: 'demo', temperature: 0.3, maxTokens: 10, contextWindow: 5000 },
    },
    { agentId: 'own', extends: 'base', toolAllowlist: ['c'], color: null, chat: { temperature: null, maxTokens: 20 } },
  ];
  const own = await resolve(agents, 'own');
  expect(own).toMatchObject({ displayName: 'Own', systemPrompt: 'Be brief.', toolAllowlist: ['c'] });
  expect(own.color).not.toBe('#111111');
  expect(chatSettings(own)).toMatchObject({
    provider: 'demo',
    temperature: undefined,
    maxTokens: 20,
    contextWindow: 5000,
  });
  expect(own.definition).toEqual(agents[1]);
  expect(own.resolved).toMatchObject({
    agentId: 'own',
    chat: { provider: 'demo', maxTokens: 20, contextWindow: 5000 },
  });
  expect(own.resolved).not.toHaveProperty('extends');
});

test('clearing chat drops everything inherited in it', async () => {
  const base = { agentId: 'base', chat: { provider: 'anthropic', model: 'm', maxTokens: 5 } };
  const own = await resolve([base, { agentId: 'own', extends: 'base', chat: null }], 'own');
  expect(chatSettings(own)).toMatchObject({ provider: 'openai', model: 'gpt-5.1', maxTokens: undefined });
});

test('templates are listed and extended, and are not agents', async () => {
  const config = {
    templates: [
      { templateId: 'terse', extends: 'assistant', systemPrompt: 'Be terse.', chat: { apiKey: 'sk-literal' } },
      { templateId: 'writer', systemPrompt: 'Our own writer.' },
    ],
    agents: [
      { agentId: 'one', extends: 'terse' },
      { agentId: 'two', extends: 'writer' },
    ],
  };
  const { current } = await load(makeHome({ 'parley.json': config }));
  expect(current.agents.get('one')).toMatchObject({ systemPrompt: 'Be terse.', displayName: 'General assistant' });
  expect(current.agents.get('two')?.systemPrompt).toBe('Our own writer.');
  expect([...current.agents.keys()]).toEqual(['one', 'two']);
  const ids = current.templates.map(({ templateId }) => templateId);
  expect(ids).toEqual([
    'terse',
    'writer',
    'assistant',
    'orchestrator',
    'reviewer',
    'researcher',
    'planner',
    'agent-builder',
  ]);
  expect(JSON.stringify(current)).not.toContain('sk-literal');
});

test('what was configured is meant before what is built in, and an agent never means itself', async () => {
  const agents = [
    { agentId: 'reviewer', extends: 'reviewer', icon: '🦉' },
    { agentId: 'own', extends: 'reviewer' },
  ];
  const { current } = await load(makeHome({ 'parley.json': { agents } }));
  expect(current.agents.get('reviewer')?.systemPrompt).toContain('You review');
  expect(current.agents.get('own')).toMatchObject({ icon: '🦉', displayName: 'Own' });
});

test('an agent in a file can extend one in parley.json, and the other way round', async () => {
  const files = {
    'parley.json': {
      agents: [
        { agentId: 'a', extends: 'b' },
        { agentId: 'c', icon: 'c' },
      ],
    },
    'agents/b.json': { extends: 'c' },
  };
  const { current } = await load(makeHome(files));
  expect(current.agents.get('a')?.icon).toBe('c');
});

test('cycles are refused with the cycle spelled out, once', async () => {
  const agents = [
    { agentId: 'outside', extends: 'a' },
    { agentId: 'a', extends: 'b' },
    { agentId: 'b', extends: 'c' },
    { agentId: 'c', extends: 'a' },
  ];
  expect(await issuesOf({ 'parley.json': { agents } })).toEqual(['agents[1].extends forms a cycle: a -> b -> c -> a']);
  const templates = [{ templateId: 't', extends: 'x' }];
  expect(await issuesOf({ 'parley.json': { templates }, 'agents/x.json': { extends: 't' } })).toEqual([
    'templates[0].extends forms a cycle: t -> x -> t',
  ]);
});

test('the hierarchy is resolved and must be one', async () => {
  const agents = [{ agentId: 'boss' }, { agentId: 'base', parentAgentId: 'boss' }, { agentId: 'own', extends: 'base' }];
  expect((await resolve(agents, 'own')).parentAgentId).toBe('boss');
  const circle = [
    { agentId: 'a', parentAgentId: 'b' },
    { agentId: 'b', parentAgentId: 'a' },
  ];
  expect(await issuesOf({ 'parley.json': { agents: circle } })).toEqual([
    'agents[0].parentAgentId forms a cycle: a -> b -> a',
  ]);
});

test('a chain of a thousand agents resolves', async () => {
  const chain = Array.from({ length: 1000 }, (_, i) => ({
    agentId: `a${i}`,
    ...(i > 0 ? { extends: `a${i - 1}` } : { icon: 'x' }),
  }));
  expect((await resolve(chain, 'a999')).icon).toBe('x');
});
