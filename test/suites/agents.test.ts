import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { scriptedAgent } from '../harness/agents.ts';
import { text } from '../harness/scripted-script.ts';
import { TestServer } from './test-server.ts';

let server: TestServer;

beforeAll(async () => {
  server = await TestServer.start({
    agents: ['ada', 'bob'],
    config: { templates: [{ templateId: 'polite', systemPrompt: 'Be polite.', color: '#112233' }] },
  });
  server.provider.script(({ body }) => ({ steps: text(`As ${JSON.stringify((body.messages as object[])[0])}`) }));
  mkdirSync(path.join(server.parley.home, 'agents'), { recursive: true });
});
afterAll(() => server.close());

function agent(agentId: string, more: object = {}): object {
  return scriptedAgent(server.provider.url, agentId, more);
}

function get(agentId: string) {
  return server.call('getAgent', { params: { agentId } });
}

function write(file: string, content: object | string): void {
  const words = typeof content === 'string' ? content : JSON.stringify(content);
  writeFileSync(path.join(server.parley.home, file), words);
}

async function listed(query = {}): Promise<string[]> {
  return (await server.call('listAgents', { query })).agents.map(({ agentId }) => agentId);
}

describe('agents', () => {
  test('are listed, hidden ones only when asked for, and can all be spoken to', async () => {
    await server.call('createAgent', { body: agent('team/hidden', { uiVisible: false }) });
    expect(await listed()).toEqual(expect.arrayContaining(['ada', 'bob']));
    expect(await listed()).not.toContain('team/hidden');
    expect(await listed({ hidden: true })).toContain('team/hidden');
    expect((await get('team/hidden')).uiVisible).toBe(false);
    expect((await server.say(await server.open('team/hidden'), 'Hi')).turn.state).toBe('complete');
  });

  test('cannot be called what the person or another agent is called', async () => {
    await server.refused('agent_name_reserved', 'createAgent', { body: agent('fake', { displayName: 'You' }) });
    await server.refused('agent_name_reserved', 'createAgent', { body: agent('user') });
    await server.refused('agent_name_taken', 'createAgent', { body: agent('fake', { displayName: 'ADA' }) });
    const params = { agentId: 'bob' };
    await server.refused('agent_name_taken', 'updateAgent', { params, body: { displayName: 'Ada' } });
    expect(await listed()).not.toContain('fake');
  });

  test('in files with names that are not allowed do not answer, say why, and hold no other agent up', async () => {
    write('agents/fake.json', agent('fake', { displayName: 'User' }));
    await expect.poll(() => listed()).toContain('fake');
    const fake = await get('fake');
    expect(fake).toMatchObject({ displayName: 'Fake', available: false });
    expect(fake.unavailableReason).toBe('agents/fake.json: displayName must not be "User": that name is reserved.');
    expect((await server.say(await server.open('fake'), 'Hi')).turn.state).toBe('failed');
    expect((await server.say(await server.open('ada'), 'Hi')).turn.state).toBe('complete');
    await server.call('deleteAgent', { params: { agentId: 'fake' } });
  });

  test('are created in a file of their own, changed and deleted', async () => {
    const created = await server.call('createAgent', { body: agent('made/here', { color: '#abcdef' }) });
    expect(created).toMatchObject({ agentId: 'made/here', color: '#abcdef', available: true });
    const file = path.join(server.parley.home, created.source);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ agentId: 'made/here' });
    await server.refused('agent_exists', 'createAgent', { body: agent('made/here') });
    const params = { agentId: 'made/here' };
    const changed = await server.call('updateAgent', { params, body: { description: 'Other', color: null } });
    expect(changed).toMatchObject({ description: 'Other', displayName: 'made/here' });
    expect(changed.definition).not.toHaveProperty('color');
    expect(changed.version).not.toBe(created.version);
    expect(await get('made/here')).toEqual(changed);
    await server.call('deleteAgent', { params });
    expect(existsSync(file)).toBe(false);
    await server.refused('agent_not_found', 'getAgent', { params });
    await server.refused('agent_not_found', 'updateAgent', { params, body: {} });
    await server.refused('agent_not_found', 'deleteAgent', { params });
  });

  test('are not changed over somebody else’s change', async () => {
    const { version } = await server.call('createAgent', { body: agent('contested') });
    const params = { agentId: 'contested' };
    const headers = { 'If-Match': `"${version}"` };
    await server.call('updateAgent', { params, body: { description: 'Mine' }, headers });
    await server.refused('agent_version_stale', 'updateAgent', { params, body: { description: 'Theirs' }, headers });
    await server.refused('agent_version_stale', 'deleteAgent', { params, headers });
    expect((await get('contested')).description).toBe('Mine');
  });

  test('inherit from templates, which are listed and cannot be spoken to', async () => {
    const { templates } = await server.call('listTemplates');
    expect(templates.map(({ templateId }) => templateId)).toContain('polite');
    const { resolved, definition } = await server.call('createAgent', {
      body: { agentId: 'heir', extends: 'polite', chat: agentChat('heir'), toolAllowlist: [] },
    });
    expect(definition).not.toHaveProperty('systemPrompt');
    expect(resolved).toMatchObject({ systemPrompt: 'Be polite.', color: '#112233' });
    await server.say(await server.open('heir'), 'Hi');
    expect(server.prompt('heir')[0]?.content).toBe('Be polite.');
    await server.refused('agent_not_found', 'createSession', { body: { agentId: 'polite' } });
  });

  test.each([
    [{ agentId: 'x', extends: 'nowhere' }, 'extends'],
    [{ agentId: 'x', parentAgentId: 'x' }, 'parentAgentId'],
    [{ agentId: 'x', extends: 'x' }, 'extends'],
  ])('%o is refused, and nothing is written', async (body, words) => {
    const before = await listed({ hidden: true });
    const problem = await server.refused('configuration_invalid', 'createAgent', { body });
    expect(problem.issues?.join()).toContain(words);
    expect(await listed({ hidden: true })).toEqual(before);
  });

  test('whose base is in use stay', async () => {
    await server.call('createAgent', { body: agent('base') });
    await server.call('createAgent', { body: { agentId: 'on-base', extends: 'base' } });
    const problem = await server.refused('agent_in_use', 'deleteAgent', { params: { agentId: 'base' } });
    expect(problem.issues?.join()).toContain('on-base');
  });

  test('never show a key', async () => {
    const chat = { ...agentChat('secretive'), apiKey: 'sk-very-secret' };
    await server.call('createAgent', { body: agent('secretive', { chat }) });
    for (const body of [await get('secretive'), await server.call('listAgents', { query: { hidden: true } })])
      expect(JSON.stringify(body)).not.toContain('sk-very-secret');
  });
});

function agentChat(agentId: string) {
  return { provider: 'openai-compatible', model: `model-of-${agentId}`, baseUrl: `${server.provider.url}/v1` };
}

describe('a setting that has no effect', () => {
  const warned = async (more: object) => {
    const chat = { apiKey: 'none', ...(more as { chat?: object }).chat };
    const { warnings } = await server.call('createAgent', { body: { agentId: 'warned', ...more, chat } });
    expect((await get('warned')).warnings).toEqual(warnings);
    await server.call('deleteAgent', { params: { agentId: 'warned' } });
    return warnings.map(({ text }) => text.key);
  };

  test.each([
    ['openai', 'gpt-5.1', { temperature: 0.7, reasoningEffort: 'low' }, ['temperature']],
    ['openai', 'gpt-4.1', { temperature: 0.7 }, []],
    ['openai', 'my-own-model', { reasoningEffort: 'low' }, ['reasoningEffort']],
    ['anthropic', 'claude-sonnet-4-5', { temperature: 0.7, reasoningEffort: 'high' }, ['temperature']],
    ['anthropic', 'claude-sonnet-4-5', { temperature: 0.7 }, []],
    ['demo', 'demo', { temperature: 0.7 }, ['temperature']],
  ])('is told: %s %s %j', async (provider, model, settings, names) => {
    const chat = { provider, model, ...settings };
    expect(await warned({ chat })).toEqual(names.map((name) => `agent_warning.${name}`));
  });

  test('skills without bash are told', async () => {
    const chat = { provider: 'demo' };
    expect(await warned({ chat, toolExposure: 'skills' })).toEqual(['agent_warning.skills']);
    expect(await warned({ chat, toolExposure: 'mixed' })).toEqual([]);
  });
});

describe('a change on disk', () => {
  test('applies to the next turn of a session that is already there', async () => {
    const file = 'agents/changing.json';
    write(file, agent('changing', { systemPrompt: 'First.' }));
    await expect.poll(() => listed(), { timeout: 5000 }).toContain('changing');
    const session = await server.open('changing');
    await server.say(session, 'Hi');
    write(file, agent('changing', { systemPrompt: 'Second.' }));
    await expect.poll(async () => (await get('changing')).resolved.systemPrompt, { timeout: 5000 }).toBe('Second.');
    await server.say(session, 'Hi');
    expect(server.prompt('changing')[0]?.content).toBe('Second.');
  });

  test('that is bad keeps the last good configuration, and says where it is wrong', async () => {
    const file = 'agents/broken.json';
    write(file, agent('broken', { systemPrompt: 'Good.' }));
    await expect.poll(() => listed(), { timeout: 5000 }).toContain('broken');
    expect(await server.call('getConfiguration')).toMatchObject({ valid: true, issues: [] });
    write(file, { ...agent('broken'), toolAllowlist: [3] });
    const state = () => server.call('getConfiguration');
    await expect.poll(async () => (await state()).valid, { timeout: 5000 }).toBe(false);
    expect((await state()).issues.join()).toMatch(/broken\.json.*toolAllowlist\[0\] must be/);
    expect((await server.call('listAgents')).configuration.valid).toBe(false);
    expect((await get('broken')).resolved.systemPrompt).toBe('Good.');
    expect((await server.say(await server.open('broken'), 'Hi')).turn.state).toBe('complete');
    expect(server.parley.stderr).toContain('the last valid one stays in use');
    write(file, '{ not json');
    await expect
      .poll(async () => (await state()).issues.join(), { timeout: 5000 })
      .toMatch(/broken\.json: line 1, column 3/);
    write(file, agent('broken', { systemPrompt: 'Good again.' }));
    await expect.poll(async () => (await state()).valid, { timeout: 5000 }).toBe(true);
    expect((await get('broken')).resolved.systemPrompt).toBe('Good again.');
  });

  test('that removes an agent leaves its sessions, and a queued turn of it fails with the reason', async () => {
    const file = 'agents/leaving.json';
    write(file, agent('leaving'));
    await expect.poll(() => listed(), { timeout: 5000 }).toContain('leaving');
    const session = await server.open();
    server.provider.script(() => ({ steps: [...text('Half'), { kind: 'stall' }] }));
    const first = await server.send(session, 'Hold');
    const second = await server.send(session, { content: 'For you', guest: 'leaving' });
    await server.call('deleteAgent', { params: { agentId: 'leaving' } });
    await server.cancelTurn(first.turn.id);
    const settled = await server.settled(second.turn.id);
    expect(settled).toMatchObject({ state: 'failed', error: { code: 'agent_not_found' } });
    expect(await server.transcript(session)).toEqual(['user: Hold', 'ada: Half', 'user: For you']);
  });
});

test('an agent without its key says so, and its turn fails with the reason', async () => {
  const chat = { provider: 'anthropic', model: 'claude-sonnet-4-5', apiKey: '${NO_SUCH_KEY}' };
  const created = await server.call('createAgent', { body: agent('keyless', { chat }) });
  expect(created).toMatchObject({ available: false });
  expect(created.unavailableReason).toContain('NO_SUCH_KEY');
  const session = await server.open('keyless');
  const { turn } = await server.say(session, 'Hi');
  expect(turn.state).toBe('failed');
  expect(turn.error).toMatchObject({ code: 'agent_unavailable', message: created.unavailableReason });
  expect(await server.transcript(session)).toEqual(['user: Hi']);
});
