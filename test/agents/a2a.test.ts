import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Action, ActionList } from '../../contract/actions.ts';
import type { RemoteCard } from '../../contract/agents.ts';
import type { Session } from '../../contract/sessions.ts';
import type { Turn } from '../../contract/turns.ts';
import { A2aPeer } from '../harness/a2a/peer.ts';
import { letGoOn } from '../harness/a2a/peer-script.ts';
import { Parley, until } from '../harness/parley.ts';

const KEY = 'key-of-the-remote-agent';
let peer: A2aPeer;
let old: A2aPeer;
let plain: A2aPeer;
let parley: Parley;

function remote(agentId: string, url: string, more: object = {}) {
  return { agentId, type: 'a2a', a2a: { url, apiKey: KEY, idleSeconds: 2 }, ...more };
}

beforeAll(async () => {
  peer = await A2aPeer.start('1.0');
  old = await A2aPeer.start('0.3');
  plain = await A2aPeer.start('1.0', { streams: false });
  const agents = [
    remote('far', peer.url),
    remote('old', old.url),
    remote('plain', plain.url),
    remote('stranger', peer.url),
  ];
  const allowHosts = [peer.host, old.host, plain.host];
  const chat = { agentId: 'near', chat: { provider: 'demo' }, description: 'Near.' };
  parley = await Parley.start({
    config: { agents: [...agents, chat], tools: { fetch: { allowHosts } }, limits: { fileBytes: 1000 } },
  });
  for (const agentId of ['far', 'old', 'plain']) await approve(agentId);
});

afterAll(async () => {
  await parley.close();
  await Promise.all([peer.close(), old.close(), plain.close()]);
});

async function approve(agentId: string): Promise<void> {
  const { hash } = await parley.ok<RemoteCard>('GET', `/api/agent-cards/${agentId}`);
  await parley.ok('POST', `/api/agent-cards/${agentId}`, { hash });
}

async function ask(agentId: string, content: string): Promise<{ sessionId: string; turn: Turn; text: string }> {
  const { id: sessionId } = await parley.createSession({ agentId });
  const { turn, answer } = await parley.say(sessionId, { content });
  return { sessionId, turn, text: answer?.text ?? '' };
}

async function openActions(sessionId: string): Promise<Action[]> {
  return (await parley.ok<ActionList>('GET', `/api/actions?session=${sessionId}`)).actions;
}

function settled(turnId: string): Promise<Turn> {
  return until(
    () => parley.turn(turnId),
    ({ endedAt }) => endedAt !== null,
    15_000,
  );
}

describe('the card of a remote agent', () => {
  it('has to be approved before the agent answers', async () => {
    const agent = await parley.ok<{ available: boolean; unavailableReason: string }>('GET', '/api/agents/stranger');
    expect(agent).toMatchObject({ available: false, unavailableReason: expect.stringContaining('parley agents card') });
    const sent = peer.messages.length;
    expect((await ask('stranger', 'hello')).turn).toMatchObject({
      state: 'failed',
      error: { code: 'agent_unavailable' },
    });
    expect(peer.messages.length).toBe(sent);
    const card = await parley.ok<RemoteCard>('GET', '/api/agent-cards/stranger');
    const named = { name: 'Remote', description: 'A remote agent.' };
    expect(card).toMatchObject({ approved: false, approvedCard: null, card: named });
    expect((await parley.request('POST', '/api/agent-cards/stranger', { hash: 'f'.repeat(64) })).status).toBe(409);
    await approve('stranger');
    expect((await ask('stranger', 'hello')).text).toBe('hello');
  });

  it('has to be approved again once it changes', async () => {
    peer.description = 'Something else.';
    try {
      const { turn } = await ask('far', 'hello');
      expect(turn).toMatchObject({ state: 'failed', error: { code: 'agent_card_changed' } });
      expect(await parley.ok('GET', '/api/agent-cards/far')).toMatchObject({
        approved: false,
        card: { description: 'Something else.' },
        approvedCard: { description: 'A remote agent.' },
      });
    } finally {
      peer.description = 'A remote agent.';
    }
    expect((await ask('far', 'hello')).text).toBe('hello');
  });

  it('is not read of an agent that has none', async () => {
    const { status, body } = await parley.request('GET', '/api/agent-cards/near');
    expect([status, body]).toMatchObject([422, { code: 'agent_card_none' }]);
  });
});

describe.each(['far', 'old', 'plain'])('the remote agent %s', (agentId) => {
  const own = () => ({ far: peer, old, plain })[agentId as 'far'];

  it('answers, and is asked again in its own context with what it has not seen', async () => {
    const { sessionId, text } = await ask(agentId, 'say Hello \nsay there.');
    expect(text).toBe('Hello there.');
    const first = own().messages.at(-1)!;
    expect([first.contextId, first.parts.length]).toEqual(['', 1]);
    await parley.say(sessionId, { content: 'And you?', guest: 'near' });
    await parley.say(sessionId, { content: 'say Again.' });
    const second = own().messages.at(-1)!;
    expect(second.contextId).not.toBe('');
    expect(second.text).toMatch(/What was said since you last spoke[\s\S]*User: And you\?[\s\S]*near: /);
    expect(second.text).not.toContain(`${agentId}: Hello there.`);
  });

  it('gives files, links and data', async () => {
    const { sessionId, turn } = await ask(
      agentId,
      'file some words\nlink https://example.com/a b\nlink javascript:alert(1)\ndata {"a":1}',
    );
    expect(turn.state).toBe('complete');
    const answer = (await parley.messages(sessionId)).at(-1)!;
    expect(answer.parts.find(({ type }) => type === 'file')).toMatchObject({
      name: 'note.txt',
      mediaType: 'text/plain',
    });
    expect(answer.text).toContain('[report](<https://example.com/a%20b>)');
    expect(answer.text).not.toContain('javascript');
    expect(answer.text).toContain('"a": 1');
  });

  it.each([
    ['failed', 'failed', 'agent_failed'],
    ['rejected', 'failed', 'agent_rejected'],
    ['canceled', 'cancelled', undefined],
  ])('that ends its task as %s has a turn that %s', async (state, expected, code) => {
    const { turn, text } = await ask(agentId, `say Partly.\nend ${state}`);
    expect(turn.state).toBe(expected);
    expect(turn.error?.code).toBe(code);
    if (code) expect(turn.error?.message).toContain('No more.');
    expect(text).toBe('Partly.');
  });

  it('asks the person, and goes on with the answer in the same task', async () => {
    const { id: sessionId } = await parley.createSession({ agentId });
    const { turn } = await parley.send(sessionId, { content: 'say First.\nask Which one?' });
    const [action] = await until(
      () => openActions(sessionId),
      (actions) => actions.length === 1,
    );
    expect(action).toMatchObject({ kind: 'question', question: { question: 'Which one?' } });
    expect((await parley.session(sessionId)).status).toBe('waiting');
    await parley.ok('POST', `/api/actions/${action!.id}/answer`, { decision: 'answer', text: 'The red one.' });
    expect((await settled(turn.id)).state).toBe('complete');
    expect((await parley.messages(sessionId)).at(-1)!.text).toMatch(/First\.\s*Answered: The red one\./);
    expect(own().messages.at(-1)).toMatchObject({ text: 'The red one.', taskId: expect.stringMatching(/^task-/) });
  });

  it('is stopped where it works when its turn is cancelled', async () => {
    const { id: sessionId } = await parley.createSession({ agentId });
    const { turn } = await parley.send(sessionId, { content: 'say Begun.\nhang' });
    await until(
      () => parley.ok<{ partials: unknown[] }>('GET', `/api/sessions/${sessionId}/snapshot`),
      ({ partials }) => JSON.stringify(partials).includes('Begun.'),
    );
    const task = [...own().tasks.values()].at(-1)!;
    await parley.ok('POST', `/api/turns/${turn.id}/cancellation`);
    expect((await settled(turn.id)).state).toBe('cancelled');
    await until(
      async () => own().cancelled,
      (cancelled) => cancelled.includes(task.id),
    );
  });

  it('that works without a sign of what it does is stopped', async () => {
    const { turn, text } = await ask(agentId, 'say Begun.\nhang');
    expect(turn).toMatchObject({ state: 'failed', error: { code: 'agent_idle' } });
    expect(text).toBe('Begun.');
    await until(
      async () => own().cancelled.length,
      (length) => length > 0,
    );
  });

  it('is heard once, whatever it repeats, and not after its end', async () => {
    expect((await ask(agentId, 'twice Hello.')).text).toBe('Hello.');
    const { text, turn } = await ask(agentId, 'say Hello.\nmore');
    if (agentId === 'plain') return;
    expect([turn.state, text]).toEqual(['complete', 'Hello.']);
  });

  it('as a guest is told to use no tools', async () => {
    const { id: sessionId } = await parley.createSession({ agentId: 'near' });
    const { answer } = await parley.say(sessionId, { content: 'say Hi.', guest: agentId });
    expect(answer).toMatchObject({ agent: agentId, guest: true, text: 'Hi.' });
    expect(own().messages.at(-1)!.parts[0]).toContain('use no tools');
  });
});

describe('a remote agent', () => {
  it('gets the key only at the host that it was given for', async () => {
    await ask('far', 'hello');
    expect(peer.messages.at(-1)!.headers.authorization).toBe(`Bearer ${KEY}`);
    // Another origin, which may be reached: the card sends the messages there.
    peer.endpoint = plain.url;
    try {
      await approve('far');
      await ask('far', 'hello elsewhere');
      expect(plain.messages.at(-1)).toMatchObject({ text: 'hello elsewhere' });
      expect(plain.messages.at(-1)!.headers.authorization).toBeUndefined();
    } finally {
      peer.endpoint = '';
      await approve('far');
    }
  });

  it('in a private network is reached only where that was allowed', async () => {
    const elsewhere = await A2aPeer.start('1.0');
    peer.endpoint = elsewhere.url;
    try {
      await approve('far');
      const { turn } = await ask('far', 'hello');
      expect(turn).toMatchObject({ state: 'failed', error: { code: 'agent_unreachable' } });
      expect(elsewhere.messages).toEqual([]);
    } finally {
      peer.endpoint = '';
      await approve('far');
      await elsewhere.close();
    }
  });

  it('is followed again when its connection breaks', async () => {
    expect((await ask('far', 'say One.\nwait 200\ndrop\nsay  Two.\nwait 300\nsay  Three.')).text).toBe(
      'One. Two. Three.',
    );
    expect(peer.methods).toContain('SubscribeToTask');
  });

  it('of version 0.3 is followed again without a hole, and hears nothing twice', async () => {
    const broken = 'say One.\nwait 200\ndrop\nsay  Two.\nwait 300\nsay  Three.\nwait 100\nsay  Four.';
    expect((await ask('old', broken)).text).toBe('One. Two. Three. Four.');
    // Said after the task was read, and before it is subscribed to.
    old.sayAfterReading.push(' Between.');
    const { id: sessionId } = await parley.createSession({ agentId: 'old' });
    const { turn } = await parley.send(sessionId, { content: 'say One.\nwait 200\ndrop\nhold gap\nsay  Last.' });
    await until(
      () => parley.ok<{ partials: unknown[] }>('GET', `/api/sessions/${sessionId}/snapshot`),
      ({ partials }) => JSON.stringify(partials).includes('Between.'),
    );
    letGoOn('gap');
    expect((await settled(turn.id)).state).toBe('complete');
    expect((await parley.messages(sessionId)).at(-1)!.text).toBe('One. Between. Last.');
  });

  it('that has forgotten the conversation is told all of it once', async () => {
    const { sessionId } = await ask('far', 'say First.');
    peer.forgets = true;
    await parley.say(sessionId, { content: 'say Second.' });
    peer.forgets = false;
    const last = peer.messages.at(-1)!;
    expect(last.text).toContain('say First.');
    const answer = (await parley.messages(sessionId)).at(-1)!;
    expect(answer.parts.filter(({ type }) => type === 'notice')).toHaveLength(1);
    await parley.say(sessionId, { content: 'say Third.' });
    expect(peer.messages.at(-1)!.text).toBe('say Third.');
  });

  it('cannot send a file that is larger than the limit', async () => {
    const { sessionId, turn } = await ask('far', 'say Look:\nlarge-file 2000');
    expect(turn.state).toBe('complete');
    expect((await parley.messages(sessionId)).at(-1)!.parts.map(({ type }) => type)).toEqual(['text', 'notice']);
  });

  it('opens a session for every workflow it tells of, once, and inside it for those that it begins', async () => {
    const script = [
      'begin nested-1 say Nested work.; hold nested',
      'begin work-1 hold begun; work Digging.; flow Inner|The inner one|nested-1; say Dug.; hold work',
      'flow Pendle Farm Deposit|Deposit USDai|work-1',
      'flow Pendle Farm Deposit|Deposit USDai|work-1',
      'flow-outside Unnumbered|Without a task|',
      'say Dispatched.',
    ].join('\n');
    const followed = () => peer.methods.filter((method) => method === 'SubscribeToTask').length;
    const before = followed();
    const { sessionId, turn } = await ask('far', script);
    expect(turn.state).toBe('complete');
    const children = async (id: string) =>
      (await parley.ok<{ sessions: Session[] }>('GET', `/api/sessions?parent=${id}`)).sessions;
    const opened = await children(sessionId);
    expect(opened.map(({ title, type }) => [title, type]).sort()).toEqual([
      ['Pendle Farm Deposit', 'tool-execution'],
      ['Unnumbered', 'tool-execution'],
    ]);
    const deposit = opened.find(({ title }) => title.startsWith('Pendle'))!;
    expect(deposit.status).toBe('working');
    // What a task says before it is followed is told only to those that followed it then.
    await until(
      async () => followed(),
      (times) => times > before,
    );
    letGoOn('begun');
    const [inner] = await until(
      () => children(deposit.id),
      (found) => found.length === 1,
    );
    expect(inner).toMatchObject({ title: 'Inner', status: 'working' });
    letGoOn('nested');
    letGoOn('work');
    await until(
      () => parley.session(deposit.id),
      ({ status }) => status === 'completed',
    );
    await until(
      () => parley.session(inner!.id),
      ({ status }) => status === 'completed',
    );
    expect((await parley.messages(deposit.id)).at(-1)!.text).toMatch(/Digging\.[\s\S]*Dug\./);
    expect((await parley.messages(sessionId)).map(({ role }) => role)).toEqual(['user', 'assistant']);
  });

  it('tells of a workflow what was said in it before it was followed', async () => {
    const script = [
      'begin early work First steps.; work Second steps.; say Found it.; hold early',
      'wait 200',
      'flow Early|Begun before|early',
      'say Dispatched.',
    ].join('\n');
    const { sessionId } = await ask('far', script);
    const [work] = await until(
      async () => (await parley.ok<{ sessions: Session[] }>('GET', `/api/sessions?parent=${sessionId}`)).sessions,
      (sessions) => sessions.length === 1,
    );
    letGoOn('early');
    await until(
      () => parley.session(work!.id),
      ({ status }) => status === 'completed',
    );
    const text = (await parley.messages(work!.id)).at(-1)!.text;
    expect(text).toMatch(/^First steps\.\s+Second steps\.\s+Found it\.$/);
  });
});
