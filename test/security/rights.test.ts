import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Action } from '../../contract/actions.ts';
import type { AgentDefinition } from '../../contract/agents.ts';
import { checkConfiguration } from '../../server/config/configuration.ts';
import { answer, answerNext, waitingIn } from '../suites/answering.ts';
import { watch } from '../suites/following.ts';
import { ask, call, resultsIn, ScriptedAgents } from '../suites/scripted-agents.ts';
import { TestServer } from '../suites/test-server.ts';
import { WebServer } from '../tools/web-server.ts';

const SECRET = 'The bank code is 4711.';

let server: TestServer;
let scripted: ScriptedAgents;
let web: WebServer;
let secret: string;

beforeAll(async () => {
  web = await WebServer.start();
  server = await TestServer.start({
    agents: [
      { agentId: 'plain' },
      { agentId: 'reader', toolAllowlist: ['sessions_*'], agentDenylist: ['vault'] },
      { agentId: 'sneak', toolAllowlist: ['session*', 'web_fetch'], agentDenylist: ['vault'] },
      { agentId: 'glob', toolAllowlist: ['*'] },
      { agentId: 'fetcher', toolAllowlist: ['web_fetch'] },
      { agentId: 'allowed', toolAllowlist: ['web_fetch', 'files_*'], approvals: { web_fetch: 'allow' } },
      { agentId: 'boss', toolAllowlist: ['agents_message', 'sessions_*'], agentAllowlist: null },
      { agentId: 'asker', toolAllowlist: ['agents_message', 'files_*'], agentAllowlist: null },
      { agentId: 'worker', toolAllowlist: ['todo_*', 'sessions_*'], approvals: { 'todo_*': 'ask' } },
      { agentId: 'vault', toolAllowlist: [] },
      { agentId: 'helper', toolAllowlist: [] },
    ],
    agent: { toolAllowlist: null },
    config: { tools: { fetch: { allowHosts: [web.host] } } },
  });
  scripted = new ScriptedAgents(server.provider);
  secret = await server.open('vault');
  await server.say(secret, SECRET);
});
afterAll(async () => {
  await server.close();
  await web.close();
});

/** Has an agent make one call and gives back what it was told. */
async function calling(agentId: string, tool: string, input: object, sessionId?: string) {
  let told = '';
  const id = sessionId ?? (await server.open(agentId));
  scripted.answers(agentId, [call(tool, input)], (request) => {
    told = resultsIn(request).join('\n');
    return 'Done.';
  });
  const { turn } = await server.send(id, { content: 'Go.', agent: agentId });
  const end = async () => {
    await server.settled(turn.id);
    return told;
  };
  return { id, turnId: turn.id, end };
}

async function told(agentId: string, tool: string, input: object): Promise<string> {
  return (await calling(agentId, tool, input)).end();
}

describe('what was said in other sessions', () => {
  it.each(['plain', 'glob'])('is out of reach of %s, whose list does not name the sessions tools', async (agentId) => {
    expect(await told(agentId, 'sessions_search', { query: 'bank' })).toBe('[]');
    expect(await told(agentId, 'sessions_read', { sessionId: secret })).toContain('Session not found');
    expect(await told(agentId, 'sessions_rename', { sessionId: secret, name: 'Mine' })).toContain('Session not found');
    const { id, end } = await calling(agentId, 'sessions_list', {});
    expect(JSON.parse(await end()).map((session: { sessionId: string }) => session.sessionId)).toEqual([id]);
  });

  it('is in reach of an agent whose list names the tools, except where an agent of its agentDenylist takes part', async () => {
    const open = await server.open('plain');
    scripted.answers('plain', 'Good morning to you.');
    await server.say(open, 'A pineapple, please.');
    expect(await told('reader', 'sessions_search', { query: 'pineapple' })).toContain(open);
    expect(await told('reader', 'sessions_read', { sessionId: open })).toContain('pineapple');
    expect(await told('reader', 'sessions_search', { query: 'bank' })).toBe('[]');
    expect(await told('reader', 'sessions_read', { sessionId: secret })).toContain('Session not found');
    expect(await told('reader', 'sessions_list', { limit: 50 })).not.toContain(secret);
  });

  it('stays out of reach where an agent of the agentDenylist takes part, also in the tree of the session', async () => {
    const id = await server.open('boss');
    scripted.answers('vault', SECRET);
    scripted.answers(
      'boss',
      [ask('vault', 'Say it.', { session: 'create' })],
      [ask('plain', 'Plan.', { session: 'create' })],
      'Kept.',
    );
    await server.say(id, 'Go.');
    const { delegations } = await server.call('listDelegations', { params: { sessionId: id } });
    const [made, kept] = ['plain', 'vault'].map((to) => delegations.find((each) => each.to === to)!.sessionId);
    const ofSneak = async (tool: string, input: object) => (await calling('sneak', tool, input, id)).end();
    const listed = JSON.parse(await ofSneak('sessions_list', {})) as { sessionId: string }[];
    expect(listed.map(({ sessionId }) => sessionId).sort()).toEqual([id, made].sort());
    expect(await ofSneak('sessions_read', { sessionId: kept })).toContain('Session not found');
    expect(await ofSneak('sessions_search', { query: 'bank' })).not.toContain(kept);
  });

  it('and the session of the agent it works for is not renamed by a delegate', async () => {
    const parent = await server.open('boss');
    let result = '';
    scripted.answers('worker', [call('sessions_rename', { sessionId: parent, name: 'Taken' })], (request) => {
      result = resultsIn(request).join('');
      return 'Tried.';
    });
    scripted.answers('boss', [ask('worker', 'Rename it.')], 'Thanks.');
    await server.say(parent, 'Go.');
    expect(result).toContain('to the agent you work for');
    expect((await server.session(parent)).name).toBeNull();
  });
});

describe('sending', () => {
  const page = () => ({ url: `${web.url}/?d=secret` });

  it('asks for an agent that can read private things, and says what', async () => {
    const before = web.requests.length;
    const { id, end } = await calling('plain', 'web_fetch', page());
    const [action] = await waitingIn(server, id);
    expect(action!.approval).toMatchObject({
      tool: 'web_fetch',
      reason: { kind: 'sends-private', reader: 'plain', reads: expect.any(String) },
    });
    expect(web.requests.length).toBe(before);
    await answer(server, action!, { decision: 'once' });
    expect(await end()).toContain('hello');
  });

  it('asks for an agent that can read only the sessions of its own turn', async () => {
    const { id, end } = await calling('sneak', 'web_fetch', page());
    const [action] = await waitingIn(server, id);
    expect(action!.approval!.reason).toMatchObject({ kind: 'sends-private', reads: 'sessions_list' });
    await answer(server, action!, { decision: 'deny' });
    expect(await end()).toContain('denied');
  });

  it('does not ask for an agent that can read nothing private, nor where its definition allows the tool', async () => {
    expect(await told('fetcher', 'web_fetch', page())).toContain('hello');
    expect(await told('allowed', 'web_fetch', page())).toContain('hello');
  });

  it('asks for an agent with any of the tools that read, except the one that lists agents', async () => {
    const { tools } = await server.call('listTools');
    const reading = tools.filter(({ capabilities }) => capabilities.some((one) => one.endsWith('.read')));
    const publicly = (capabilities: readonly string[]) => capabilities.every((one) => one === 'agents.read');
    expect(reading.length).toBeGreaterThan(30);
    for (const { name, capabilities } of reading) {
      const body = { toolAllowlist: ['web_fetch', name], agentAllowlist: null };
      await server.call('updateAgent', { params: { agentId: 'helper' }, body });
      const explained = async (tool: string) =>
        (await server.call('explain', { query: { agent: 'helper', tool } })).tools[0]!;
      const isPublic = publicly(capabilities) || !(await explained(name)).decision.allowed;
      expect([name, (await explained('web_fetch')).approval]).toEqual([name, isPublic ? 'allow' : 'ask']);
    }
  });

  it('asks in a read-only session, whoever fetches', async () => {
    const id = await server.open('fetcher');
    await server.call('patchSession', { params: { sessionId: id }, body: { mode: 'read-only' } });
    const { end } = await calling('fetcher', 'web_fetch', page(), id);
    const [action] = await waitingIn(server, id);
    expect(action!.approval!.reason).toEqual({ kind: 'read-only' });
    await answer(server, action!, { decision: 'deny' });
    expect(await end()).toContain('denied');
  });

  it('asks when an agent that can read private things has another one fetch', async () => {
    const id = await server.open('asker');
    scripted.answers('fetcher', [call('web_fetch', page())], 'Fetched.');
    scripted.answers('asker', [ask('fetcher', 'Fetch it.')], 'Thanks.');
    const { turn } = await server.send(id, 'Go.');
    const [action] = await waitingIn(server, id);
    expect(action!.approval!.reason).toMatchObject({ kind: 'sends-private', reader: 'asker' });
    await answer(server, action!, { decision: 'deny' });
    await server.settled(turn.id);
  });
});

describe('a standing approval', () => {
  it('does not cover a call on another agent’s behalf, and cannot be given for one', async () => {
    const own = await calling('worker', 'todo_add', { title: 'One' });
    await answerNext(server, own.id, { decision: 'always' });
    await own.end();
    expect(await told('worker', 'todo_add', { title: 'Two' })).toContain('Two');
    const id = await server.open('boss');
    scripted.answers('worker', [call('todo_add', { title: 'Three' })], 'Added.');
    scripted.answers('boss', [ask('worker', 'Add it.')], 'Thanks.');
    const { turn } = await server.send(id, 'Go.');
    const [action] = (await waitingIn(server, id)) as [Action];
    expect(action.approval!.onceOnly).toBe(true);
    const params = { actionId: action.id };
    await server.refused('action_answer_invalid', 'answerAction', { params, body: { decision: 'always' } });
    await answer(server, action, { decision: 'once' });
    expect((await server.settled(turn.id)).state).toBe('complete');
  });
});

describe('an agent that was deleted', () => {
  it('leaves nothing to one of the same name: no standing approval, no memory, no files', async () => {
    const { definition } = await server.call('getAgent', { params: { agentId: 'worker' } });
    const lists = { toolAllowlist: ['todo_*', 'memory_*', 'files_*'], approvals: { 'todo_*': 'ask' } };
    const named = { ...definition, agentId: 'twin', displayName: 'Twin' };
    const twin = { ...named, chat: { ...definition.chat, model: 'model-of-twin' }, ...lists };
    await server.call('createAgent', { body: twin });
    const first = await calling('twin', 'todo_add', { title: 'First' });
    await answerNext(server, first.id, { decision: 'always' });
    await first.end();
    await told('twin', 'memory_save', { text: 'The door code is 1234.' });
    await told('twin', 'files_write', { path: 'note.txt', content: 'secret' });
    await server.call('deleteAgent', { params: { agentId: 'twin' } });
    expect((await server.call('listGrants')).grants.filter(({ agentId }) => agentId === 'twin')).toEqual([]);
    for (const agentId of ['CON', 'a.', 'team/constructor'])
      expect((await server.ask('createAgent', { body: { ...twin, agentId } })).status).toBe(400);
    await server.call('createAgent', { body: twin });
    await server.refused('agent_exists', 'createAgent', { body: { ...twin, agentId: 'Twin' } });
    expect(await told('twin', 'memory_list', {})).not.toContain('1234');
    expect(await told('twin', 'files_list', {})).not.toContain('note.txt');
    const again = await calling('twin', 'todo_add', { title: 'Second' });
    await answerNext(server, again.id, { decision: 'deny' });
    expect(await again.end()).toContain('denied');
  });

  it('has its turn stopped and what it asks for withdrawn, so that no answer gives rights to one of the same name', async () => {
    const { definition } = await server.call('getAgent', { params: { agentId: 'worker' } });
    const chat = { ...definition.chat, model: 'model-of-leaver' };
    const leaver = { ...definition, agentId: 'leaver', displayName: 'Leaver', chat };
    await server.call('createAgent', { body: leaver });
    const { id, turnId } = await calling('leaver', 'todo_add', { title: 'Left behind' });
    const [action] = (await waitingIn(server, id)) as [Action];
    await server.call('deleteAgent', { params: { agentId: 'leaver' } });
    await withdrawn(action, turnId, 'leaver');
    await server.call('createAgent', { body: { ...leaver, systemPrompt: 'A poet.' } });
    await withdrawn(action, turnId, 'leaver');
    expect(await told('plain', 'todo_list', {})).not.toContain('Left behind');
  });
});

/** The turn is over and says why, its approval cannot be answered any more, and no standing approval came of it. */
async function withdrawn({ id: actionId }: Action, turnId: string, agentId: string): Promise<void> {
  const error = { code: 'agent_removed', message: expect.stringContaining(agentId) };
  expect(await server.turn(turnId)).toMatchObject({ state: 'cancelled', stopReason: 'agent_removed', error });
  await server.refused('action_settled', 'answerAction', { params: { actionId }, body: { decision: 'always' } });
  expect((await server.call('listGrants')).grants.filter((grant) => grant.agentId === agentId)).toEqual([]);
}

describe('an agent whose file was changed while no server was running', () => {
  const file = () => path.join(server.parley.home, 'agents/offline.json');
  const write = (systemPrompt: string) => {
    const { definition } = worker;
    const chat = { ...definition.chat, model: 'model-of-offline' };
    const lists = {
      toolAllowlist: ['todo_*', 'memory_*', 'files_*'],
      approvals: { 'todo_*': 'ask', files_delete: 'ask' },
    };
    const named = { ...definition, agentId: 'offline', displayName: systemPrompt, systemPrompt };
    mkdirSync(path.dirname(file()), { recursive: true });
    writeFileSync(file(), JSON.stringify({ ...named, chat, ...lists }));
  };
  const granted = async () =>
    (await server.call('listGrants')).grants.filter(({ agentId }) => agentId === 'offline').length;
  let worker: { definition: AgentDefinition };

  beforeAll(async () => {
    worker = await server.call('getAgent', { params: { agentId: 'worker' } });
    await server.parley.stop();
    write('You keep the books of the club and nothing else.');
    await server.parley.restart();
    const first = await calling('offline', 'todo_add', { title: 'First' });
    await answerNext(server, first.id, { decision: 'always' });
    await first.end();
    await told('offline', 'memory_save', { text: 'The safe code is 9876.' });
    await told('offline', 'files_write', { path: 'note.txt', content: 'secret' });
  });

  it('is the same one if it was edited, also by an editor that writes a new file', async () => {
    await server.parley.stop();
    rmSync(file());
    write('You keep the books of the chess club and nothing else.');
    await server.parley.restart();
    expect(await granted()).toBe(1);
    expect(await told('offline', 'memory_list', {})).toContain('9876');
  });

  it('is another one if it was deleted and made anew: no standing approval, no memory, no files', async () => {
    const { id, turnId } = await calling('offline', 'files_delete', { path: 'note.txt' });
    const [action] = (await waitingIn(server, id)) as [Action];
    await server.parley.stop();
    rmSync(file());
    write('A poet.');
    await server.parley.restart();
    await withdrawn(action, turnId, 'offline');
    expect(await granted()).toBe(0);
    expect(await told('offline', 'memory_list', {})).not.toContain('9876');
    expect(await told('offline', 'files_list', {})).not.toContain('note.txt');
  });

  it('gets the memory of its predecessor when the person says so, and by nothing else', async () => {
    const { memories } = await server.call('listKeptMemories');
    const kept = memories.find(({ agentId }) => agentId === 'offline')!;
    expect(kept).toMatchObject({ count: 1, holder: expect.stringMatching(/^offline~\d{8}T/) });
    const { holder } = kept;
    await server.refused('agent_not_found', 'restoreMemory', { body: { holder, agentId: 'nobody' } });
    for (const wrong of ['worker', 'offline', ''])
      await server.refused('kept_memory_not_found', 'restoreMemory', { body: { holder: wrong, agentId: 'offline' } });
    expect(await server.call('restoreMemory', { body: { holder, agentId: 'offline' } })).toEqual({ restored: 1 });
    expect(await told('offline', 'memory_list', {})).toContain('9876');
    await server.refused('kept_memory_not_found', 'restoreMemory', { body: { holder, agentId: 'offline' } });
    const ofAnother = { holder: 'offline', agentId: 'helper' };
    await server.refused('kept_memory_not_found', 'restoreMemory', { body: ofAnother });
  });

  it('works as it did before when the file has errors now, and says so', async () => {
    await server.parley.stop();
    writeFileSync(file(), '{ "agentId": "offline", "systemPrompt": ');
    await server.parley.restart();
    const agent = await server.call('getAgent', { params: { agentId: 'offline' } });
    expect(agent).toMatchObject({ available: true, resolved: { systemPrompt: 'A poet.' } });
    expect(agent.warnings[0]?.message).toContain('agents/offline.json: line 1');
    expect(await told('offline', 'memory_list', {})).toContain('9876');
    const { configuration } = await server.call('listAgents');
    expect(configuration).toMatchObject({
      valid: false,
      issues: [expect.stringContaining('agents/offline.json: line 1')],
    });
  });

  it('leaves nothing to a later one if it was deleted', async () => {
    await server.parley.stop();
    rmSync(file());
    await server.parley.restart();
    await server.parley.stop();
    write('A poet.');
    await server.parley.restart();
    expect(await told('offline', 'memory_list', {})).not.toContain('9876');
  });
});

describe('an agent whose file is changed while the server runs', () => {
  const file = () => path.join(server.parley.home, 'agents/live.json');
  const write = (systemPrompt: string) => writeFileSync(file(), JSON.stringify({ ...base, systemPrompt }));
  let base: object;

  /** Changes files and waits until the server has drawn its conclusions. */
  async function changing(change: () => void): Promise<void> {
    const upto = await watch(server, '/api/events');
    change();
    await upto(({ type }) => type === 'configuration.changed');
    await server.refused('kept_memory_not_found', 'restoreMemory', { body: { holder: 'none~1', agentId: 'live' } });
  }

  async function rights() {
    const { grants } = await server.call('listGrants');
    return {
      granted: grants.some(({ agentId }) => agentId === 'live'),
      remembers: (await told('live', 'memory_list', {})).includes('5555'),
      hasFile: (await told('live', 'files_list', {})).includes('note.txt'),
    };
  }

  const ALL = { granted: true, remembers: true, hasFile: true };

  beforeAll(async () => {
    const { definition } = await server.call('getAgent', { params: { agentId: 'worker' } });
    const chat = { ...definition.chat, model: 'model-of-live' };
    const lists = { toolAllowlist: ['todo_*', 'memory_*', 'files_*'], approvals: { todo_add: 'ask' } };
    base = { ...definition, ...lists, agentId: 'live', displayName: 'Live', chat };
    mkdirSync(path.dirname(file()), { recursive: true });
    await changing(() => write('You keep the books of the club and nothing else.'));
    const first = await calling('live', 'todo_add', { title: 'First' });
    await answerNext(server, first.id, { decision: 'always' });
    await first.end();
    await told('live', 'memory_save', { text: 'The safe code is 5555.' });
    await told('live', 'files_write', { path: 'note.txt', content: 'secret' });
  });

  it('is the same one when it was edited in place, however much', async () => {
    await changing(() => write('A poet.'));
    expect(await rights()).toEqual(ALL);
  });

  it('is the same one when it was edited through the API, however much', async () => {
    const params = { agentId: 'live' };
    await server.call('updateAgent', {
      params,
      body: { systemPrompt: 'You keep the books of the club and nothing else.' },
    });
    expect(await rights()).toEqual(ALL);
  });

  it('is the same one when an editor wrote a new file with other lists and most of its words', async () => {
    await changing(() => {
      rmSync(file());
      base = { ...base, toolAllowlist: ['todo_*', 'memory_*', 'files_*', 'journal_*'] };
      write('You keep the books of the chess club and nothing else.');
    });
    expect(await rights()).toEqual(ALL);
  });

  it('is another one when its file was deleted and made anew: it has nothing of what the first one had', async () => {
    await changing(() => {
      rmSync(file());
      write('A poet.');
    });
    expect(await rights()).toEqual({ granted: false, remembers: false, hasFile: false });
    const { memories } = await server.call('listKeptMemories');
    expect(memories.some(({ agentId }) => agentId === 'live')).toBe(true);
  });
});

describe('names that mean something elsewhere', () => {
  it.each(['__proto__', 'constructor', 'toString'])('are no ids of sessions: %s', async (id) => {
    expect((await server.ask('createSession', { body: { id } })).status).toBe(400);
  });
});

describe('a session that was made for delegation', () => {
  it('can be named by the agent that delegated to it; a person’s own conversation only by an agent that can read it', async () => {
    const mine = await server.open('helper');
    scripted.answers('helper', 'Yours.');
    await server.say(mine, 'A private word.');
    const message = async (agentId: string, session: string) => {
      const input = { agentId: 'helper', content: 'What was said?', session };
      return JSON.parse((await told(agentId, 'agents_message', input)).replace(/^Error: /, ''));
    };
    for (const session of [mine, 'no-such-session'])
      expect(await message('asker', session)).toMatchObject({ status: 'error', code: 'session_not_found' });
    expect((await server.session(mine)).messageCount).toBe(2);
    const { sessionId } = await message('asker', 'create');
    expect(await message('asker', sessionId)).toMatchObject({ status: 'complete', sessionId });
    expect(await message('boss', mine)).toMatchObject({ status: 'complete', sessionId: mine });
    await server.call('archiveSession', { params: { sessionId } });
  });

  it('is where work goes, never a person’s own conversation; it is marked, and unread for nobody', async () => {
    const mine = await server.open('helper');
    scripted.answers('helper', 'Yours.', 'First.', 'Second.');
    await server.say(mine, 'A private word.');
    const id = await server.open('boss');
    const results: string[] = [];
    const note = (request: Parameters<typeof resultsIn>[0]) => {
      results.push(...resultsIn(request));
      return 'Thanks.';
    };
    scripted.answers('boss', [ask('helper', 'Do one.')], note, [ask('helper', 'Do another.')], note);
    await server.say(id, 'Go.');
    await server.say(id, 'Again.');
    const [first, second] = results.map((result) => JSON.parse(result));
    expect(first).toMatchObject({ status: 'complete', created: true });
    expect(first.sessionId).not.toBe(mine);
    expect(second).toMatchObject({ sessionId: first.sessionId, created: false });
    expect(await server.session(first.sessionId)).toMatchObject({ delegatedFrom: id, unreadCount: 0 });
    expect((await server.session(mine)).messageCount).toBe(2);
    await server.call('archiveSession', { params: { sessionId: first.sessionId } });
    scripted.answers('helper', 'Third.');
    scripted.answers('boss', [ask('helper', 'Do a third.')], note);
    await server.say(id, 'Once more.');
    expect(JSON.parse(results[2]!)).toMatchObject({ created: true });
  });
});

describe('a workspace', () => {
  const outside = mkdtempSync(path.join(tmpdir(), 'parley-around-'));
  const home = path.join(outside, 'home');
  mkdirSync(path.join(home, 'inner'), { recursive: true });
  symlinkSync(outside, path.join(home, 'link'));
  afterAll(() => rmSync(outside, { recursive: true, force: true }));

  it.each([
    ['around the data folder', '..', 'contains the data folder'],
    ['the data folder', '.', 'contains the data folder'],
    ['a folder in it', 'inner', 'is inside the data folder'],
    ['a folder in it that is not there yet', 'agents/new', 'is inside the data folder'],
    ['a link to a folder around it', 'link', 'contains the data folder'],
    ['the root', '/', 'contains the data folder'],
    ['all workspaces', 'workspaces', 'is inside the data folder'],
  ])('is refused where it is %s', async (_, folder, words) => {
    writeFileSync(
      path.join(home, 'parley.json'),
      JSON.stringify({ tools: { files: { workspaces: { ada: folder } } } }),
    );
    const { valid, issues } = await checkConfiguration(home, {});
    expect(valid).toBe(false);
    expect(issues.join()).toContain(words);
  });

  it('is fine elsewhere, and below workspaces', async () => {
    const workspaces = {
      ada: tmpdir() === outside ? '/var' : path.join(outside, 'next-to-it'),
      bob: 'workspaces/shared',
    };
    writeFileSync(path.join(home, 'parley.json'), JSON.stringify({ tools: { files: { workspaces } } }));
    expect(await checkConfiguration(home, {})).toMatchObject({ valid: true });
  });
});
