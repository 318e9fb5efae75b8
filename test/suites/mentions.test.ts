import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { newId } from '../../contract/ids.ts';
import { gate, text } from '../harness/scripted-script.ts';
import { type Frame, readFrames } from '../harness/sse-frames.ts';
import { ScriptedAgents } from './scripted-agents.ts';
import { TestServer } from './test-server.ts';

let server: TestServer;
let scripted: ScriptedAgents;

beforeAll(async () => {
  server = await TestServer.start({
    agents: ['ada', 'bob', { agentId: 'wisp/eve', displayName: 'Eve of Wisp' }, { agentId: 'ghost', uiVisible: false }],
  });
  scripted = new ScriptedAgents(server.provider);
});
beforeEach(() => scripted.clear());
afterAll(() => server.close());

describe('a message that begins with @names', () => {
  it('is answered by the one it names, as a guest; the primary stays', async () => {
    const id = await server.open('ada');
    const { turn, turns } = await server.say(id, '@bob What do you think?');
    expect(turns).toHaveLength(1);
    expect(turn).toMatchObject({ agentId: 'bob', guest: true, state: 'complete' });
    expect(await server.session(id)).toMatchObject({ agentId: 'ada' });
    expect(await server.transcript(id)).toEqual([
      'user: @bob What do you think?',
      'bob: bob heard: @bob What do you think?',
    ]);
  });

  it('names the session by what it is about, not by whom it is for', async () => {
    const titleAfter = async (words: string) => {
      const id = await server.open('ada');
      await server.say(id, words);
      return (await server.session(id)).title;
    };
    expect(await titleAfter('@bob, what about Friday?')).toBe('what about Friday?');
    expect(await titleAfter('@bob @wisp/eve  Two of you')).toBe('Two of you');
    expect(await titleAfter('@bob, @wisp/eve and @ada: which colour?')).toBe('which colour?');
    expect(await titleAfter('write to me@example.com')).toBe('write to me@example.com');
  });

  it('is answered by several in the order in which they are named; each reads those before', async () => {
    const id = await server.open('ada');
    scripted.answers('bob', 'Red.');
    scripted.answers('wisp/eve', 'Blue.');
    scripted.answers('ada', 'Both.');
    const { turn, turns, message } = await server.say(id, '@bob, @wisp/eve and @ada: which colour?');
    expect(turns.map(({ agentId, guest, state }) => [agentId, guest, state])).toEqual([
      ['bob', true, 'complete'],
      ['wisp/eve', true, 'complete'],
      ['ada', false, 'complete'],
    ]);
    expect(turn.id).toBe(turns[0]!.id);
    expect(new Set(turns.map(({ messageId }) => messageId))).toEqual(new Set([message.id]));
    expect((await server.transcript(id)).slice(1)).toEqual(['bob: Red.', 'wisp/eve: Blue.', 'ada: Both.']);
    const prompt = server.prompt('ada').map(({ content }) => content);
    expect(prompt.slice(1)).toEqual([
      '@bob, @wisp/eve and @ada: which colour?',
      '<from agent="bob">Red.</from>\n\n<from agent="wisp/eve">Blue.</from>',
      '@bob, @wisp/eve and @ada: which colour?',
    ]);
    expect((await server.messages(id)).filter(({ role }) => role === 'user')).toHaveLength(1);
  });

  it('can be answered again by one of several: what the others said before stays, and is read', async () => {
    const id = await server.open('ada');
    scripted.answers('bob', 'Red.', 'Green.');
    scripted.answers('wisp/eve', 'Blue.', 'Pink.', 'Grey.');
    const { turns } = await server.say(id, '@bob @wisp/eve Which colour?');
    const again = await server.retry(turns[1]!.id);
    const question = '@bob @wisp/eve Which colour?';
    expect(await server.transcript(id)).toEqual([`user: ${question}`, 'bob: Red.', 'wisp/eve: Pink.']);

    expect(server.prompt('wisp/eve').slice(-2)).toEqual([
      { role: 'assistant', content: '<from agent="bob">Red.</from>' },
      { role: 'user', content: question },
    ]);
    expect((await server.messages(id)).at(-1)!.siblings).toHaveLength(2);
    await server.retry(turns[0]!.id);
    expect((await server.transcript(id)).slice(1)).toEqual(['bob: Green.']);
    await server.retry(again.turn.id);
    expect((await server.transcript(id)).slice(1)).toEqual(['bob: Green.', 'wisp/eve: Grey.']);
  });

  it('that one of several could not answer is answered by that one after the others', async () => {
    const id = await server.open('ada');
    scripted.answers('bob', { status: 400, body: '{"error":{"message":"No."}}' }, 'Red.');
    scripted.answers('wisp/eve', 'Blue.');
    const { turns } = await server.say(id, '@bob @wisp/eve Which colour?');
    await server.settled(turns[1]!.id);
    await server.retry(turns[0]!.id);
    expect((await server.transcript(id)).slice(1)).toEqual(['wisp/eve: Blue.', 'bob: Red.']);
  });

  it('@all asks the primary and everybody who has spoken here', async () => {
    const id = await server.open('ada');
    await server.say(id, '@bob hi');
    const { turns } = await server.say(id, '@all And now?');
    expect(turns.map(({ agentId }) => agentId).toSorted()).toEqual(['ada', 'bob']);
    expect(turns.every(({ state }) => state === 'complete')).toBe(true);
  });

  it('that names only the primary is an ordinary turn', async () => {
    const { turn } = await server.say(await server.open('ada'), '@ada Hello.');
    expect(turn).toMatchObject({ agentId: 'ada', guest: false });
  });

  it('that names nobody we know is words for the primary', async () => {
    const { turn, turns } = await server.say(await server.open('ada'), '@nobody Hello.');
    expect([turn.agentId, turns.length]).toEqual(['ada', 1]);
  });

  it('is previewed: who will answer, and which names are nobody’s', async () => {
    const id = await server.open('ada');
    const preview = (content: string) =>
      server.call('previewMentions', { params: { sessionId: id }, body: { content } });
    expect(await preview('@bob @eve hi')).toEqual({
      answering: [
        { agentId: 'bob', guest: true },
        { agentId: 'wisp/eve', guest: true },
      ],
      unknown: [],
    });
    expect(await preview('@nobody hi')).toEqual({ answering: [{ agentId: 'ada', guest: false }], unknown: ['nobody'] });
    expect(await preview('hi @bob')).toEqual({ answering: [{ agentId: 'ada', guest: false }], unknown: [] });
    expect(await preview('@ghost hi')).toMatchObject({ answering: [{ agentId: 'ghost', guest: true }] });
    expect(await server.messages(id)).toEqual([]);
  });

  it('names an agent explicitly, too: then the words name nobody', async () => {
    const { turns } = await server.say(await server.open('ada'), { content: '@bob hi', guest: 'wisp/eve' });
    expect(turns.map(({ agentId }) => agentId)).toEqual(['wisp/eve']);
  });

  it('is edited into one for others, and they answer it instead', async () => {
    const id = await server.open('ada');
    const { message } = await server.say(id, '@bob Hello.');
    const body = { content: '@eve @ada Hello.' };
    const params = { messageId: message.id };
    const revised = await server.call('reviseMessage', { params, query: { wait: 15 }, body });
    expect(revised.turns.map(({ agentId, state }) => [agentId, state])).toEqual([
      ['wisp/eve', 'complete'],
      ['ada', 'complete'],
    ]);
    expect((await server.transcript(id)).map((line) => line.split(':')[0])).toEqual(['user', 'wisp/eve', 'ada']);
  });

  it('means the same when its session is addressed by agent and sender', async () => {
    const message = { agent: 'ada', sender: 'mentioning', content: '@bob @eve hi' };
    const frames: Frame[] = [];
    for await (const frame of readFrames(await server.parley.fetch('POST', '/api/stream', message))) frames.push(frame);
    const settled = frames.flatMap(({ type, data }) => (type === 'turn.settled' ? [data.turn] : []));
    expect(settled.map(({ agentId, guest, state }) => [agentId, guest, state])).toEqual([
      ['bob', true, 'complete'],
      ['wisp/eve', true, 'complete'],
    ]);
    expect(await server.session(settled[0].sessionId)).toMatchObject({ agentId: 'ada' });
  });

  it('streams the answers of all of them to who sent it', async () => {
    const id = await server.open('ada');
    scripted.answers('bob', 'Red.');
    scripted.answers('wisp/eve', 'Blue.');
    const frames: Frame[] = [];
    for await (const frame of server.parley.sendStream(id, { content: '@bob @eve colours?' })) frames.push(frame);
    const said = frames.filter(({ type }) => type === 'delta').map(({ data }) => `${data.agentId}: ${data.text}`);
    expect(said).toEqual(['bob: Red.', 'wisp/eve: Blue.']);
    expect(frames.filter(({ type }) => type === 'turn.settled')).toHaveLength(2);
  });
});

describe('several who wait to answer one message', () => {
  async function held(content = '@bob @eve @ada go') {
    const id = await server.open('ada');
    const until = gate();
    scripted.answers('bob', [...text('Red'), { kind: 'gate', until: until.until }]);
    const receipt = await server.send(id, { id: newId(), content });
    await server.speaking(id, 'Red');
    return { id, until, receipt };
  }

  it('are in the queue, each with its turn', async () => {
    const { id, until, receipt } = await held();
    const { queue } = await server.call('listQueue', { params: { sessionId: id } });
    expect(queue.map(({ turn, message }) => [turn.agentId, message.id])).toEqual([
      ['wisp/eve', receipt.message.id],
      ['ada', receipt.message.id],
    ]);
    expect(await server.session(id)).toMatchObject({ queuedCount: 2, status: 'working' });
    until.open();
    for (const { id: turnId } of receipt.turns) await server.settled(turnId);
    expect((await server.transcript(id)).map((line) => line.split(':')[0])).toEqual(['user', 'bob', 'wisp/eve', 'ada']);
  });

  it('one is stopped: the others answer', async () => {
    const { id, until, receipt } = await held();
    const [bob, eve, ada] = receipt.turns;
    expect((await server.cancelTurn(eve!.id)).cancelled).toEqual([eve!.id]);
    expect((await server.cancelTurn(bob!.id)).cancelled).toEqual([bob!.id]);
    until.open();
    expect(await server.settled(ada!.id)).toMatchObject({ state: 'complete' });
    expect((await server.transcript(id)).map((line) => line.split(':')[0])).toEqual(['user', 'ada']);
    expect(await server.session(id)).toMatchObject({ status: 'active', queuedCount: 0, messageCount: 2 });
  });

  it('one is taken out of the queue: the message stays for the others', async () => {
    const { id, until, receipt } = await held();
    await server.call('removeQueued', { params: { turnId: receipt.turns[1]!.id } });
    until.open();
    await server.settled(receipt.turns[2]!.id);
    expect((await server.transcript(id)).map((line) => line.split(':')[0])).toEqual(['user', 'bob', 'ada']);
  });

  it('all are stopped with the session', async () => {
    const { id, receipt } = await held();
    expect((await server.call('cancelSession', { params: { sessionId: id } })).cancelled).toHaveLength(3);
    for (const { id: turnId } of receipt.turns) expect((await server.turn(turnId)).state).toBe('cancelled');
    expect(await server.transcript(id)).toEqual(['user: @bob @eve @ada go']);
  });

  it('the first waits, too, behind somebody else: taken out, the others keep the message', async () => {
    const id = await server.open('ada');
    const until = gate();
    scripted.answers('ada', [...text('Busy'), { kind: 'gate', until: until.until }]);
    await server.send(id, 'Be busy.');
    await server.speaking(id, 'Busy');
    const { turns, message } = await server.send(id, '@bob @eve go');
    expect(turns.map(({ state }) => state)).toEqual(['queued', 'queued']);
    await server.call('removeQueued', { params: { turnId: turns[0]!.id } });
    until.open();
    expect(await server.settled(turns[1]!.id)).toMatchObject({ state: 'complete', agentId: 'wisp/eve' });
    const kept = (await server.messages(id)).find((one) => one.id === message.id);
    expect(kept).toMatchObject({ status: 'complete', turnId: turns[1]!.id });
    expect((await server.transcript(id)).at(-1)).toMatch(/^wisp\/eve: /);
  });

  it('the same message sent again gives the same receipt, with all of them', async () => {
    const { id, until, receipt } = await held();
    const again = await server.send(id, { id: receipt.message.id, content: '@bob @eve @ada go' });
    expect(again.duplicate).toBe(true);
    expect(again.turns.map((turn) => turn.id)).toEqual(receipt.turns.map((turn) => turn.id));
    const frames: Frame[] = [];
    for await (const frame of server.parley.sendStream(id, { id: receipt.message.id, content: '@bob @eve @ada go' })) {
      frames.push(frame);
      if (frame.type === 'turn.partial') until.open();
    }
    const settled = frames.filter(({ type }) => type === 'turn.settled').map(({ data }) => data.turn.agentId);
    expect(settled).toEqual(['bob', 'wisp/eve', 'ada']);
    const after = await server.send(id, { id: receipt.message.id, content: '@bob @eve @ada go' });
    expect(after.turns.map(({ state }) => state)).toEqual(['complete', 'complete', 'complete']);
    await server.refused('message_id_conflict', 'sendMessage', {
      params: { sessionId: id },
      body: { id: receipt.message.id, content: '@bob go' },
    });
    expect(await server.turns(id)).toHaveLength(3);
  });
});

describe('after a kill of the server', () => {
  it('those who have yet to answer the first message of a session read what was said before it', async () => {
    const id = await server.open('ada');
    const never = gate();
    scripted.answers('ada', 'Ada says red.');
    scripted.answers('wisp/eve', 'Eve says blue.');
    scripted.answers('bob', [...text('Bob begins'), { kind: 'gate', until: never.until }]);
    const { turns } = await server.send(id, '@ada @bob @eve which colour?');
    await server.speaking(id, 'Bob begins');
    await server.parley.kill();
    never.open();
    await server.parley.restart();
    expect((await server.settled(turns[2]!.id)).state).toBe('complete');
    expect(server.prompt('wisp/eve').map(({ content }) => content)).toContain('<from agent="ada">Ada says red.</from>');

    await server.parley.restart();
    await server.say(id, '@ada @bob and now?');
    for (const agentId of ['ada', 'bob']) {
      const prompt = server
        .prompt(agentId)
        .map(({ content }) => content)
        .join('\n');
      expect(prompt).toContain('Ada says red.');
      expect(prompt).toContain('Eve says blue.');
      expect(prompt).not.toContain('Bob begins');
    }
    expect(await server.transcript(id)).toContain('ada: Ada says red.');
  });
});
