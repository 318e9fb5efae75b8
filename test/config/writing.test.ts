import { chmodSync, existsSync, lstatSync, mkdirSync, readdirSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { AgentDefinition, AgentPatch } from '../../contract/agents.ts';
import { issuesOf, json, load, makeHome, put, refusal, text } from './home.ts';
import { SEED } from './seed.ts';

const demo = { chat: { provider: 'demo' } } as const;

describe('creating', () => {
  test('writes a file of its own for its owner alone, and is in force when the call returns', async () => {
    const home = makeHome({ 'parley.json': SEED });
    const configuration = await load(home);
    const created = await configuration.createAgent({ agentId: 'wisp/new', displayName: 'New', ...demo });
    expect(created).toMatchObject({ displayName: 'New', source: 'agents/wisp/new.json' });
    expect(configuration.current.agents.get('wisp/new')).toBe(created);
    expect(json(home, 'agents/wisp/new.json')).toEqual({ agentId: 'wisp/new', displayName: 'New', ...demo });
    expect(statSync(join(home, 'agents/wisp/new.json')).mode & 0o777).toBe(0o600);
    expect(statSync(join(home, 'agents/wisp')).mode & 0o777).toBe(0o700);
    expect(text(home, 'parley.json')).toBe(SEED);
    expect(readdirSync(join(home, 'agents/wisp'))).toEqual(['new.json']);
  });

  test('refuses an id that is taken, wherever it is defined', async () => {
    const home = makeHome({ 'parley.json': SEED, 'agents/x.json': {}, 'agents/y.json': { agentId: 'z' } });
    const configuration = await load(home);
    for (const agentId of ['todo', 'x', 'y', 'z']) {
      expect((await refusal(configuration.createAgent({ agentId }))).code).toBe('agent_exists');
    }
  });

  test('refuses what is invalid, says why and writes nothing', async () => {
    const home = makeHome({ 'parley.json': {} });
    const configuration = await load(home);
    const bad = { agentId: 'bad', extends: 'nothing', chat: { temperature: 9 } } as AgentDefinition;
    const error = await refusal(configuration.createAgent(bad));
    expect(error.code).toBe('configuration_invalid');
    expect(error.issues).toEqual(['agents/bad.json: chat.temperature must be at most 2']);
    expect(readdirSync(home)).toEqual(['parley.json']);
    expect(configuration.state.valid).toBe(true);
  });

  test.each(['../evil', '..', 'a/../../evil', '/etc/evil', 'a//b', './a', 'a/.hidden', 'a\\..\\b', 'a\0b', ''])(
    'refuses the id %j, which is no id',
    async (agentId) => {
      const home = makeHome({ 'home/parley.json': {} });
      const error = await refusal((await load(join(home, 'home'))).createAgent({ agentId }));
      expect(error.code).toBe('configuration_invalid');
      expect(readdirSync(home, { recursive: true })).toEqual(['home', 'home/parley.json']);
    },
  );

  test('does not follow links out of the folder', async () => {
    const outside = makeHome();
    const home = makeHome({ 'parley.json': {}, 'agents/a.json': {} });
    const configuration = await load(home);
    symlinkSync(outside, join(home, 'agents/out'));
    await refusal(configuration.createAgent({ agentId: 'out/x' }));
    expect(readdirSync(outside)).toEqual([]);
  });

  test('refuses keys that reach a prototype', async () => {
    const configuration = await load(makeHome({ 'parley.json': {} }));
    const definition = JSON.parse('{"agentId":"a","chat":{"__proto__":{"model":"x"}}}');
    const error = await refusal(configuration.createAgent(definition));
    expect(error.issues).toEqual(['chat.__proto__ is not allowed as a field name']);
  });

  test('says so when the file cannot be written', async () => {
    const home = makeHome({ 'parley.json': {}, 'agents/a.json': {} });
    const configuration = await load(home);
    const error = await refusal(configuration.createAgent({ agentId: 'a.json/b' }));
    expect(error.code).toBe('agent_not_writable');
    expect(error.message).not.toContain(home);
  });
});

describe('changing', () => {
  test('keeps absent fields, clears null ones and merges chat', async () => {
    const before = {
      displayName: 'A',
      icon: 'x',
      toolAllowlist: ['a'],
      chat: { provider: 'demo', maxTokens: 5, temperature: 1 },
    };
    const home = makeHome({ 'agents/a.json': before });
    const configuration = await load(home);
    const patch = { icon: null, toolAllowlist: null, chat: { maxTokens: null, temperature: 0.5 } };
    const changed = await configuration.updateAgent('a', patch);
    expect(json(home, 'agents/a.json')).toEqual({ displayName: 'A', chat: { provider: 'demo', temperature: 0.5 } });
    expect(changed).toMatchObject({ icon: null, toolAllowlist: null });
    expect(configuration.current.agents.get('a')).toBe(changed);
  });

  test('clears an inherited field by writing null', async () => {
    const home = makeHome({ 'agents/base.json': { toolAllowlist: ['x'] }, 'agents/a.json': { extends: 'base' } });
    const configuration = await load(home);
    expect((await configuration.updateAgent('a', { toolAllowlist: null })).toolAllowlist).toBeNull();
    expect(json(home, 'agents/a.json')).toEqual({ extends: 'base', toolAllowlist: null });
    expect((await configuration.updateAgent('a', { extends: null })).definition).not.toHaveProperty('extends');
  });

  test('rewrites an agent of parley.json in place and keeps the rest of the file', async () => {
    const home = makeHome({ 'parley.json': SEED });
    const configuration = await load(home);
    await configuration.updateAgent('journal', { displayName: 'Diary' });
    const expected = JSON.parse(SEED);
    expected.agents[2].displayName = 'Diary';
    expect(text(home, 'parley.json')).toBe(`${JSON.stringify(expected, null, 2)}\n`);
    expect(existsSync(join(home, 'agents'))).toBe(false);
  });

  test('keeps the indentation and the link of parley.json', async () => {
    const elsewhere = makeHome({ 'real.json': '{\n\t"agents": [\n\t\t{ "agentId": "a" }\n\t]\n}' });
    const home = makeHome();
    symlinkSync(join(elsewhere, 'real.json'), join(home, 'parley.json'));
    await (await load(home)).updateAgent('a', { icon: 'x' });
    expect(text(elsewhere, 'real.json')).toContain('\n\t"agents": [');
    expect(lstatSync(join(home, 'parley.json')).isSymbolicLink()).toBe(true);
  });

  test('compares versions', async () => {
    const configuration = await load(makeHome({ 'agents/a.json': {} }));
    const { version } = configuration.current.agents.get('a')!;
    const changed = await configuration.updateAgent('a', { icon: 'x' }, version);
    expect(changed.version).not.toBe(version);
    expect((await refusal(configuration.updateAgent('a', { icon: 'y' }, version))).code).toBe('agent_version_stale');
    expect((await refusal(configuration.deleteAgent('a', version))).code).toBe('agent_version_stale');
    await configuration.deleteAgent('a', changed.version);
  });

  test('sees what an editor wrote a moment ago', async () => {
    const home = makeHome({ 'agents/a.json': { icon: 'x' } });
    const configuration = await load(home);
    const { version } = configuration.current.agents.get('a')!;
    put(home, 'agents/a.json', { icon: 'y', description: 'by hand' });
    expect((await refusal(configuration.updateAgent('a', { icon: 'z' }, version))).code).toBe('agent_version_stale');
    expect((await configuration.updateAgent('a', { icon: 'z' })).description).toBe('by hand');
  });

  test('refuses what is invalid and leaves the file as it was', async () => {
    const home = makeHome({ 'agents/a.json': '{ "icon": "x" }', 'agents/b.json': { extends: 'a' } });
    const configuration = await load(home);
    const attempts: [AgentPatch, string][] = [
      [{ color: 'red' }, 'agents/a.json: color must be a colour like #4f46e5'],
      [{ extends: 'b' }, 'agents/a.json: extends forms a cycle: a -> b -> a'],
      [JSON.parse('{"agentId":"other/../x"}'), 'agents/a.json: agentId must consist of'],
      [JSON.parse('{"__proto__":{"x":1}}'), '__proto__ is not allowed as a field name'],
    ];
    for (const [patch, issue] of attempts) {
      const error = await refusal(configuration.updateAgent('a', patch));
      expect(error.code).toBe('configuration_invalid');
      expect(error.issues?.[0]).toContain(issue);
    }
    expect(text(home, 'agents/a.json')).toBe('{ "icon": "x" }');
  });

  test('refuses while the files on disk are broken, instead of writing over someone’s work', async () => {
    const home = makeHome({ 'parley.json': {}, 'agents/a.json': {} });
    const configuration = await load(home);
    put(home, 'agents/a.json', '{ "icon": ');
    expect((await refusal(configuration.updateAgent('a', { icon: 'x' }))).code).toBe('configuration_invalid');
    expect(text(home, 'agents/a.json')).toBe('{ "icon": ');
  });

  test('of an agent that is not there is refused', async () => {
    const configuration = await load(makeHome());
    for (const agentId of ['nobody', '../parley', '__proto__']) {
      expect((await refusal(configuration.updateAgent(agentId, {}))).code).toBe('agent_not_found');
      expect((await refusal(configuration.deleteAgent(agentId))).code).toBe('agent_not_found');
    }
  });
});

describe('a key that is written in a file', () => {
  const secret = { chat: { provider: 'openai-compatible', model: 'm', baseUrl: 'http://one/v1', apiKey: 'sk-secret' } };

  test('survives a change that sends back what was shown', async () => {
    const home = makeHome({ 'agents/a.json': secret });
    const configuration = await load(home);
    const { agentId: _, ...shown } = configuration.current.agents.get('a')!.definition;
    expect(shown.chat?.apiKey).toBe('…');
    await configuration.updateAgent('a', { ...shown, displayName: 'A' });
    expect(json(home, 'agents/a.json')).toMatchObject({ displayName: 'A', ...secret });
  });

  test('can be replaced and removed', async () => {
    const home = makeHome({ 'agents/a.json': secret });
    const configuration = await load(home);
    await configuration.updateAgent('a', { chat: { apiKey: 'sk-other' } });
    expect(text(home, 'agents/a.json')).toContain('sk-other');
    await configuration.updateAgent('a', { chat: { apiKey: null } });
    expect(text(home, 'agents/a.json')).not.toContain('apiKey');
  });

  test('does not follow the agent to another host by itself', async () => {
    const configuration = await load(makeHome({ 'agents/a.json': secret }));
    const error = await refusal(configuration.updateAgent('a', { chat: { baseUrl: 'http://two/v1', apiKey: '…' } }));
    expect(error.issues?.[0]).toContain('chat.apiKey must be sent again');
    for (const chat of [{ baseUrl: null }, { provider: 'anthropic', baseUrl: null }] as const) {
      expect((await refusal(configuration.updateAgent('a', { chat }))).code).toBe('configuration_invalid');
    }
    await configuration.updateAgent('a', { chat: { baseUrl: 'http://one/v2' } });
    await configuration.updateAgent('a', { chat: { baseUrl: 'http://two/v1', apiKey: 'sk-two' } });
  });

  test('does not follow what extends the agent to another host, in files or through a change', async () => {
    const heir = { extends: 'a', chat: { baseUrl: 'http://evil/v1' } };
    const words = 'the key of a is for another host and is not inherited';
    expect((await issuesOf({ 'agents/a.json': secret, 'agents/b.json': heir }))[0]).toContain(words);
    const configuration = await load(makeHome({ 'agents/a.json': secret, 'agents/c.json': { extends: 'a' } }));
    const created = await refusal(configuration.createAgent({ agentId: 'b', ...heir }));
    expect(created.issues?.[0]).toContain(words);
    const patched = await refusal(configuration.updateAgent('c', { chat: { baseUrl: 'http://evil/v1' } }));
    expect(patched.issues?.[0]).toContain(words);
    await configuration.updateAgent('c', { chat: { baseUrl: 'http://evil/v1', apiKey: 'sk-own' } });
  });

  test('does not go elsewhere when the address comes from what the agent extends', async () => {
    const base = { chat: { provider: 'openai-compatible', model: 'm', baseUrl: 'http://one/v1' } };
    const own = { extends: 'base', chat: { apiKey: 'sk-secret' } };
    const configuration = await load(makeHome({ 'agents/base.json': base, 'agents/own.json': own }));
    const error = await refusal(configuration.updateAgent('base', { chat: { baseUrl: 'http://evil/v1' } }));
    expect(error.issues?.[0]).toContain('when own moves to another host');
  });

  test('is not made up from the sign for a hidden key', async () => {
    const configuration = await load(makeHome());
    const error = await refusal(configuration.createAgent({ agentId: 'a', chat: { apiKey: '…' } }));
    expect(error.code).toBe('configuration_invalid');
  });
});

describe('deleting', () => {
  test('removes the file and the folders it leaves empty', async () => {
    const home = makeHome({ 'parley.json': SEED, 'agents/x/y/z.json': {}, 'agents/x/keep.json': {} });
    const configuration = await load(home);
    await configuration.deleteAgent('x/y/z');
    expect(configuration.current.agents.has('x/y/z')).toBe(false);
    expect(readdirSync(join(home, 'agents'), { recursive: true })).toEqual(['x', 'x/keep.json']);
    await configuration.deleteAgent('todo');
    expect((json(home, 'parley.json').agents as AgentDefinition[]).map(({ agentId }) => agentId)).toEqual([
      'reading-list',
      'journal',
      'general',
    ]);
  });

  test('is refused while others extend the agent or name it as their parent', async () => {
    const files = {
      'agents/base.json': {},
      'agents/heir.json': { extends: 'base' },
      'agents/child.json': { parentAgentId: 'base' },
    };
    const configuration = await load(makeHome(files));
    const error = await refusal(configuration.deleteAgent('base'));
    expect(error.code).toBe('agent_in_use');
    expect(error.issues).toEqual(['agent heir extends it', 'agent child has it as its parent']);
    await configuration.deleteAgent('heir');
    await configuration.updateAgent('child', { parentAgentId: null });
    await configuration.deleteAgent('base');
    expect([...configuration.current.agents.keys()]).toEqual(['child']);
  });
});

test.skipIf(process.getuid?.() === 0)('a folder that may not be written to is said to be so', async () => {
  const home = makeHome({ 'parley.json': {} });
  mkdirSync(join(home, 'agents'));
  chmodSync(join(home, 'agents'), 0o500);
  expect((await refusal((await load(home)).createAgent({ agentId: 'a' }))).code).toBe('agent_not_writable');
});
