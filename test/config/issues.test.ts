import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { check } from '../../server/validation.ts';
import { issuesIn, issuesOf, load, makeHome, put } from './home.ts';

const agent = (fields: object) => ({
  'parley.json': { agents: [{ agentId: 'a' }, { agentId: 'b' }, { agentId: 'c', ...fields }] },
});

describe('what is wrong is said with its path', () => {
  test.each<[object, string]>([
    [{ toolAllowlist: [1] }, 'agents[2].toolAllowlist[0] must be a string'],
    [{ toolAllowlist: 'x' }, 'agents[2].toolAllowlist must be an array'],
    [{ toolAllowlist: [''] }, 'agents[2].toolAllowlist[0] must not be empty'],
    [{ tolAllowlist: [] }, 'agents[2].tolAllowlist is not a known field (did you mean toolAllowlist?)'],
    [{ chat: { modle: 'x' } }, 'agents[2].chat.modle is not a known field (did you mean model?)'],
    [{ wholly: 1 }, 'agents[2].wholly is not a known field'],
    [{ 'odd key': 1 }, 'agents[2]["odd key"] is not a known field'],
    [{ uiVisible: 'yes' }, 'agents[2].uiVisible must be true or false'],
    [{ toolExposure: 'all' }, 'agents[2].toolExposure must be one of "tools", "skills", "mixed"'],
    [{ type: 'external' }, 'agents[2].type must be "chat"'],
    [{ chat: [] }, 'agents[2].chat must be an object'],
    [{ chat: { temperature: 3 } }, 'agents[2].chat.temperature must be at most 2'],
    [{ chat: { temperature: -1 } }, 'agents[2].chat.temperature must be at least 0'],
    [{ chat: { maxTokens: 1.5 } }, 'agents[2].chat.maxTokens must be an integer'],
    [{ chat: { maxTokens: 0 } }, 'agents[2].chat.maxTokens must be greater than 0'],
    [
      { chat: { baseUrl: 'ftp://x' } },
      'agents[2].chat.baseUrl must be an http or https URL without a user name or password',
    ],
    [
      { chat: { baseUrl: 'http://u:p@x' } },
      'agents[2].chat.baseUrl must be an http or https URL without a user name or password',
    ],
    [{ chat: { apiKey: '$OPENAI_API_KEY' } }, 'agents[2].chat.apiKey must name an environment variable as ${NAME}'],
    [{ chat: { apiKey: '…' } }, 'agents[2].chat.apiKey must be a key or ${NAME}, not the placeholder for a hidden key'],
    [{ color: 'red' }, 'agents[2].color must be a colour like #4f46e5'],
    [{ displayName: 'x'.repeat(201) }, 'agents[2].displayName must have at most 200 characters'],
    [
      { agentId: 'a/../b' },
      'agents[2].agentId must consist of letters, digits, ".", "_", "-" and "/", for example wisp/concierge',
    ],
    [{ agentId: 5 }, 'agents[2].agentId must be a string'],
    [
      { extends: 'revewer' },
      'agents[2].extends names a template or agent that does not exist: revewer (did you mean reviewer?)',
    ],
    [{ extends: 'c' }, 'agents[2].extends forms a cycle: c -> c'],
    [{ parentAgentId: 'zzzzzz' }, 'agents[2].parentAgentId names an agent that does not exist: zzzzzz'],
    [{ parentAgentId: 'c' }, 'agents[2].parentAgentId forms a cycle: c -> c'],
    [{ agentId: 'a' }, 'agents[2].agentId must be unique: a is already defined by agents[0] in parley.json'],
  ])('%j', async (fields, issue) => {
    expect(await issuesOf(agent(fields))).toEqual([issue]);
  });

  test('in a file of its own, the file comes first', async () => {
    expect(await issuesOf({ 'agents/wisp/concierge.json': { toolAllowlist: [1], tolAllowlist: [] } })).toEqual([
      'agents/wisp/concierge.json: toolAllowlist[0] must be a string',
      'agents/wisp/concierge.json: tolAllowlist is not a known field (did you mean toolAllowlist?)',
    ]);
    expect(await issuesOf({ 'agents/x.json': [] })).toEqual(['agents/x.json: must be an object']);
  });

  test('in settings', async () => {
    expect(await issuesOf({ 'parley.json': { server: { port: 70000, hots: '' }, limit: {} } })).toEqual([
      'server.port must be at most 65535',
      'server.hots is not a known field (did you mean host?)',
      'limit is not a known field (did you mean limits?)',
    ]);
    expect(await issuesOf({ 'parley.json': [] })).toEqual(['parley.json must be an object']);
  });

  test('in the environment and on the command line', async () => {
    const env = { PARLEY_PORT: 'eighty', PARLEY_LOG_LEVEL: 'loud' };
    expect(await issuesOf({}, { env, overrides: { port: -1 } })).toEqual([
      'PARLEY_PORT must be a number',
      'PARLEY_LOG_LEVEL must be one of "debug", "info", "warn", "error", "silent"',
      'port must be at least 0',
    ]);
  });

  test('all at once, from every file', async () => {
    const issues = await issuesOf({
      'parley.json': { agents: [{}, { agentId: 'b', icon: 1 }] },
      'agents/x.json': { icon: 2 },
    });
    expect(issues).toEqual([
      'agents[0].agentId is required',
      'agents[1].icon must be a string',
      'agents/x.json: icon must be a string',
    ]);
  });
});

describe('unions', () => {
  const Schema = z.object({ a: z.union([z.string(), z.int(), z.strictObject({ file: z.string() })]), b: z.boolean() });

  test('name every choice', () => {
    expect(check(Schema, { a: true, b: true }).issues).toEqual(['a must be a string or a number or an object']);
  });

  test('follow the branch that fits best', () => {
    expect(check(Schema, { a: { file: 1 }, b: 1 }).issues).toEqual([
      'a.file must be a string',
      'b must be true or false',
    ]);
  });

  test('that are missing are required', () => {
    expect(check(Schema, { b: true }).issues).toEqual(['a is required']);
  });
});

describe('broken JSON is located, and never quoted', () => {
  test.each([
    ['{\n  "agents": [\n    { "agentId": "a" },\n  ]\n}', 'line 4, column 3: expected a value'],
    ['{ "agents": [] ', 'line 1, column 16: expected "," or "}"'],
    ['{ "agents" [] }', 'line 1, column 12: expected ":"'],
    ["{ 'agents': [] }", 'line 1, column 3: expected a field name in double quotes or "}"'],
    ['{}\n{}', 'line 2, column 1: expected the end of the file'],
    ['', 'line 1, column 1: expected a value'],
    ['{"a": "sk-secret}', 'line 1, column 7: expected a string that is closed on its line, with valid escapes'],
    ['{"a": sk-secret}', 'line 1, column 7: expected a value'],
  ])('%j', async (content, issue) => {
    expect(await issuesOf({ 'parley.json': content })).toEqual([`parley.json: ${issue}`]);
    expect(await issuesOf({ 'agents/x/y.json': content })).toEqual([`agents/x/y.json: ${issue}`]);
  });

  test('a byte order mark is no mistake', async () => {
    expect((await load(makeHome({ 'parley.json': '\uFEFF{}' }))).state.valid).toBe(true);
  });
});

describe('keys that reach a prototype are refused', () => {
  test.each(['__proto__', 'constructor', 'prototype'])('%s', async (key) => {
    const name = `${key} is not allowed as a field name`;
    expect(await issuesOf({ 'parley.json': `{"agents":[{"agentId":"a","${key}":{"x":1}}]}` })).toEqual([
      `agents[0].${name}`,
    ]);
    expect(await issuesOf({ 'parley.json': `{"${key}":{}}` })).toEqual([name]);
    expect(await issuesOf({ 'agents/a.json': `{"chat":{"${key}":{"model":"m"}}}` })).toEqual([
      `agents/a.json: chat.${name}`,
    ]);
  });

  test('and so is nesting that no definition has', async () => {
    const deep = `{"agents":${'['.repeat(10_000)}${']'.repeat(10_000)}}`;
    expect((await issuesOf({ 'parley.json': deep })).join()).toContain('is nested more than 64 levels deep');
  });
});

describe('files in the agents folder', () => {
  test('take their id from their path, unless they say one', async () => {
    const { current } = await load(
      makeHome({ 'agents/wisp/concierge.json': {}, 'agents/any name.json': { agentId: 'x/y' } }),
    );
    expect([...current.agents.values()].map(({ agentId, source }) => [agentId, source])).toEqual([
      ['x/y', 'agents/any name.json'],
      ['wisp/concierge', 'agents/wisp/concierge.json'],
    ]);
    expect(await issuesOf({ 'agents/any name.json': {} })).toEqual([
      'agents/any name.json: agentId is required, because the path contains characters that are not allowed in an id',
    ]);
  });

  test('that define the same agent twice are an error that names both places', async () => {
    expect(await issuesOf({ 'parley.json': { agents: [{ agentId: 'todo' }] }, 'agents/todo.json': {} })).toEqual([
      'agents/todo.json: agentId must be unique: todo is already defined by agents[0] in parley.json',
    ]);
    expect(await issuesOf({ 'agents/one.json': { agentId: 'x' }, 'agents/two.json': { agentId: 'x' } })).toEqual([
      'agents/two.json: agentId must be unique: x is already defined by agents/one.json',
    ]);
  });

  test('of editors and other programs are not read', async () => {
    const junk = {
      'agents/.a.json.swp': '{',
      'agents/.a.json': '{',
      'agents/a.json~': '{',
      'agents/#a.json#': '{',
      'agents/notes.md': '{',
    };
    const { current } = await load(makeHome({ ...junk, 'agents/a.json': {} }));
    expect([...current.agents.keys()]).toEqual(['a']);
  });

  test('may be links inside the folder, but not out of it', async () => {
    const outside = makeHome({ 'secret.json': { displayName: 'Secret' }, 'folder/x.json': {} });
    const home = makeHome({ 'agents/a.json': { description: 'A' } });
    symlinkSync('a.json', join(home, 'agents/b.json'));
    expect((await load(home)).current.agents.get('b')?.description).toBe('A');
    symlinkSync(join(outside, 'secret.json'), join(home, 'agents/c.json'));
    symlinkSync(join(outside, 'folder'), join(home, 'agents/d'));
    symlinkSync('nowhere.json', join(home, 'agents/e.json'));
    expect((await issuesIn(home)).toSorted()).toEqual([
      'agents/c.json: is a link to a file outside the agents folder',
      'agents/d: is a link to a file outside the agents folder',
      'agents/e.json: is a broken link',
    ]);
  });

  test('are bounded in size', async () => {
    const home = makeHome();
    put(home, 'agents/a.json', '{}');
    writeFileSync(join(home, 'agents/a.json'), ' '.repeat(4_000_001));
    expect(await issuesIn(home)).toEqual(['agents/a.json: must be a file, of at most 4 MB']);
  });
});
