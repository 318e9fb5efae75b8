import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { applyFrame, fromSnapshot, type SessionState, shownMessages } from '../../client/session-state.ts';
import type { StreamFrame } from '../../contract/events.ts';
import type { Session } from '../../contract/sessions.ts';
import { checkDatabase } from '../harness/check-database.ts';
import { until } from '../harness/parley.ts';
import { gate, text } from '../harness/scripted-script.ts';
import { follow, watch } from './following.ts';
import { call, ScriptedAgents } from './scripted-agents.ts';
import { TestServer } from './test-server.ts';

let server: TestServer;
let scripted: ScriptedAgents;

beforeAll(async () => {
  server = await TestServer.start({
    agents: [
      'ada',
      { agentId: 'bob', toolAllowlist: ['todo_*', 'bash'], approvals: { todo_add: 'ask', bash: 'allow' } },
      'eve',
      { agentId: 'boss', agentAllowlist: ['ada', 'eve'], delegation: { tags: true } },
    ],
    config: { tools: { bash: { agents: ['bob'] } } },
  });
  scripted = new ScriptedAgents(server.provider);
});
beforeEach(() => scripted.clear());
afterAll(() => server.close());

const remove = (messageId: string): Promise<Session> => server.call('deleteMessage', { params: { messageId } });

/** Every value in the database that holds a word. */
function whereIs(word: string): string[] {
  const db = new DatabaseSync(path.join(server.parley.home, 'parley.db'), { readOnly: true, timeout: 5000 });
  const tables = db.prepare(
    `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '%\\_fts%' ESCAPE '\\'`,
  );
  const found = tables.all().flatMap(({ name }) => {
    const rows = db.prepare(`SELECT * FROM ${name}`).all();
    return rows.some((row) => JSON.stringify(row).includes(word)) ? [String(name)] : [];
  });
  db.close();
  return found;
}

async function finds(word: string): Promise<number> {
  return (await server.call('search', { query: { q: word } })).hits.length;
}

/** The branch as its links say it, from the head back to the beginning. */
async function chain(sessionId: string): Promise<string[]> {
  const shown = await server.messages(sessionId);
  const byId = new Map(shown.map((message) => [message.id, message]));
  const line: string[] = [];
  let id = (await server.session(sessionId)).headId;
  for (; id; id = byId.get(id)?.parentId ?? null) line.unshift(byId.get(id)?.text ?? 'not shown');
  return line;
}

describe('deleting what the person said', () => {
  it('takes its answers along and leaves what came before and after it', async () => {
    const id = await server.open();
    await server.say(id, 'first');
    const { message, turn } = await server.say(id, 'unwanted xylophone');
    await server.say(id, 'third');
    expect(whereIs('xylophone')).not.toEqual([]);
    const session = await remove(message.id);
    const left = ['user: first', 'ada: ada heard: first', 'user: third', 'ada: ada heard: third'];
    expect(await server.transcript(id)).toEqual(left);
    expect(await chain(id)).toEqual(left.map((line) => line.replace(/^\w+: /, '')));
    expect(session).toMatchObject({
      messageCount: 4,
      status: 'active',
      title: 'first',
      lastSnippet: 'ada heard: third',
    });
    expect(session).toEqual(await server.session(id));
    await server.refused('message_not_found', 'getMessage', { params: { messageId: message.id } });
    await server.refused('turn_not_found', 'getTurn', { params: { turnId: turn.id } });
    expect(checkDatabase(server.parley.home)).toEqual([]);
  });

  it('leaves its words nowhere: not in the search, not in events, not in what was asked of the model', async () => {
    const id = await server.open();
    const { message } = await server.say(id, 'a zeppelin over the first message');
    await server.say(id, 'and then');
    expect(await finds('zeppelin')).toBe(2);
    await remove(message.id);
    expect(await finds('zeppelin')).toBe(0);
    expect(whereIs('zeppelin')).toEqual([]);
    await server.say(id, 'once more');
    expect(JSON.stringify(server.prompt('ada'))).not.toContain('zeppelin');
    expect(
      server
        .prompt('ada')
        .slice(1)
        .map(({ content }) => content),
    ).toEqual(['and then', 'ada heard: and then', 'once more']);
  });

  it('makes the title anew when it came from there, and keeps a name', async () => {
    const id = await server.open();
    const first = await server.say(id, 'gladiolus');
    const second = await server.say(id, 'tulip');
    expect((await remove(first.message.id)).title).toBe('tulip');
    await server.call('renameSession', { params: { sessionId: id }, body: { name: `Garden ${id}` } });
    expect(await remove(second.message.id)).toMatchObject({
      title: `Garden ${id}`,
      headId: null,
      messageCount: 0,
      lastSnippet: '',
      status: 'idle',
      agents: [],
      unreadCount: 0,
    });
    expect(await server.messages(id)).toEqual([]);
    await server.say(id, 'daisy');
    expect(await server.transcript(id)).toEqual(['user: daisy', 'ada: ada heard: daisy']);
  });

  it('takes along every answer to it, on every branch and of every guest', async () => {
    const id = await server.open();
    await server.say(id, 'before');
    const { message, turn } = await server.say(id, '@ada @eve who wins?');
    await server.call('retryTurn', { params: { turnId: turn.id }, query: { wait: 15 }, body: { agent: 'bob' } });
    await remove(message.id);
    expect(await server.transcript(id)).toEqual(['user: before', 'ada: ada heard: before']);
    expect((await server.session(id)).agents).toEqual(['ada']);
    expect((await server.turns(id)).length).toBe(1);
    expect(
      (await server.call('listSessions', { query: { agent: 'eve' } })).sessions.map((one) => one.id),
    ).not.toContain(id);
    expect(checkDatabase(server.parley.home)).toEqual([]);
  });

  it('leaves what was said instead of it', async () => {
    const id = await server.open();
    await server.say(id, 'begin');
    const { message } = await server.say(id, 'one way');
    const params = { messageId: message.id };
    await server.call('reviseMessage', { params, query: { wait: 15 }, body: { content: 'another way' } });
    await remove(message.id);
    expect(await server.transcript(id)).toEqual([
      'user: begin',
      'ada: ada heard: begin',
      'user: another way',
      'ada: ada heard: another way',
    ]);
    expect((await server.messages(id)).every(({ siblings }) => siblings === undefined)).toBe(true);
  });

  it('shows the other way when the one that was shown is gone, also at the very beginning', async () => {
    const id = await server.open();
    const { message } = await server.say(id, 'one way');
    const revised = await server.call('reviseMessage', {
      params: { messageId: message.id },
      query: { wait: 15 },
      body: { content: 'another way' },
    });
    await server.say(id, 'further');
    await remove(revised.message.id);
    // What came later follows nothing now; it is what is shown.
    expect(await server.transcript(id)).toEqual(['user: further', 'ada: ada heard: further']);
    const further = (await server.messages(id))[0]!;
    expect(further.siblings).toEqual([message.id, further.id]);
    await remove(further.id);
    expect(await server.transcript(id)).toEqual(['user: one way', 'ada: ada heard: one way']);
    expect(await chain(id)).toEqual(['one way', 'ada heard: one way']);
    expect(checkDatabase(server.parley.home)).toEqual([]);
  });

  it('takes along what was delegated in its answer', async () => {
    scripted.answers('boss', 'Ada shall. <delegate to="ada">look it up</delegate>', 'So it is.');
    const id = await server.open('boss');
    const { message } = await server.say(id, 'please');
    expect((await server.messages(id)).length).toBe(5);
    scripted.clear();
    await server.say(id, 'thanks');
    await remove(message.id);
    expect(await server.transcript(id)).toEqual(['user: thanks', 'boss: boss heard: thanks']);
    expect(whereIs('look it up')).toEqual([]);
    expect(checkDatabase(server.parley.home)).toEqual([]);
  });

  it('takes along what tools did, what was asked of the person, and what works in the background', async () => {
    scripted.answers(
      'bob',
      [call('todo_add', { title: 'rhubarb' })],
      [call('bash', { command: 'echo rhubarb', background: true })],
      'ok',
    );
    const id = await server.open('bob');
    const { message, turn } = await server.send(id, 'the rhubarb');
    const { actions } = await until(
      () => server.call('listActions', { query: { session: id } }),
      (list) => list.actions.length > 0,
    );
    await server.refused('session_busy', 'deleteMessage', { params: { messageId: message.id } });
    const answer = { params: { actionId: actions[0]!.id }, body: { decision: 'once' } };
    await server.call('answerAction', answer);
    await server.settled(turn.id);
    await until(
      () => server.session(id),
      ({ status, messageCount }) => status === 'active' && messageCount >= 4,
    );
    const [child] = (await server.call('listSessions', { query: { parent: id } })).sessions;
    expect(child?.type).toBe('tool-execution');
    await remove(message.id);
    const [notice] = await server.messages(id);
    await remove(notice!.id);
    expect(await server.messages(id)).toEqual([]);
    await server.refused('session_not_found', 'getSession', { params: { sessionId: child!.id } });
    // The list with its history is the person's.
    expect(whereIs('rhubarb').filter((table) => !['list_items', 'artifact_changes'].includes(table))).toEqual([]);
    expect(checkDatabase(server.parley.home)).toEqual([]);
  });

  it('takes along that it failed', async () => {
    scripted.answers('ada', { status: 401, body: '{}' });
    const id = await server.open();
    const earlier = await server.say(id, 'fail as well');
    scripted.answers('ada', { status: 401, body: '{}' });
    const { message } = await server.say(id, 'fail');
    expect((await remove(earlier.message.id)).status).toBe('error');
    expect((await server.call('listActions', { query: { session: id } })).actions.length).toBe(1);
    const seen = await watch(server, `/api/sessions/${id}/events`);
    expect((await remove(message.id)).status).toBe('idle');
    const types = (await seen(({ type }) => type === 'message.deleted')).map(({ type }) => type);
    expect(types).toEqual(['action.settled', 'message.deleted']);
    expect((await server.call('listActions', { query: { session: id } })).actions).toEqual([]);
  });
});

describe('deleting what an agent said', () => {
  it('takes nothing else along', async () => {
    const id = await server.open();
    const { message, answer, turn } = await server.say(id, 'a question');
    await server.say(id, 'another');
    await remove(answer!.id);
    expect(await server.transcript(id)).toEqual(['user: a question', 'user: another', 'ada: ada heard: another']);
    expect(await chain(id)).toEqual(['a question', 'another', 'ada heard: another']);
    expect(await server.turn(turn.id)).toMatchObject({ state: 'complete', answerId: null, messageId: message.id });
    // Whoever wants an answer all the same asks again.
    await server.call('retryTurn', { params: { turnId: turn.id }, query: { wait: 15 } });
    expect(await server.transcript(id)).toEqual(['user: a question', 'ada: ada heard: a question']);
    expect(checkDatabase(server.parley.home)).toEqual([]);
  });

  it('shows another answer when there is one', async () => {
    const id = await server.open();
    const { turn, answer } = await server.say(id, 'a question');
    const second = await server.call('retryTurn', {
      params: { turnId: turn.id },
      query: { wait: 15 },
      body: { agent: 'eve' },
    });
    expect((await remove(second.answer!.id)).headId).toBe(answer!.id);
    expect(await server.transcript(id)).toEqual(['user: a question', 'ada: ada heard: a question']);
    expect((await server.messages(id))[1]!.siblings).toBeUndefined();
  });

  it('takes its tool calls along', async () => {
    scripted.answers('bob', [call('todo_list', {})], 'Nothing to do.');
    const id = await server.open('bob');
    const { answer, turn } = await server.say(id, 'what is there?');
    const { calls } = await server.call('listToolCalls', { params: { turnId: turn.id } });
    expect(calls.length).toBe(1);
    await remove(answer!.id);
    await server.refused('tool_call_not_found', 'getToolCall', { params: { callId: calls[0]!.id } });
    expect((await server.call('listToolCalls', { params: { turnId: turn.id } })).calls).toEqual([]);
  });

  it('is not counted as unread any more', async () => {
    const id = await server.open();
    const { answer } = await server.say(id, 'one');
    await server.say(id, 'two');
    expect((await server.session(id)).unreadCount).toBe(2);
    expect((await remove(answer!.id)).unreadCount).toBe(1);
  });
});

describe('a summary', () => {
  it('that holds words of what is deleted goes too; an earlier one stays', async () => {
    const id = await server.open();
    const sent = [];
    for (const word of ['one', 'two', 'three', 'four', 'five']) sent.push(await server.say(id, word));
    scripted.answers('ada', 'About one and two.');
    await server.call('compactSession', { params: { sessionId: id }, body: { keep: 6 } });
    scripted.answers('ada', 'About one, two, three and four.');
    await server.call('compactSession', { params: { sessionId: id }, body: { keep: 2 } });
    await remove(sent[2]!.message.id);
    expect(whereIs('three and four')).toEqual([]);
    expect(whereIs('About one and two')).not.toEqual([]);
    expect((await server.messages(id)).map(({ archived }) => archived)).toEqual([
      true,
      true,
      true,
      true,
      ...Array(4).fill(false),
    ]);
    await server.say(id, 'six');
    const asked = server
      .prompt('ada')
      .slice(1)
      .map(({ content }) => content);
    expect(asked[0]).toMatch(/About one and two\.\n\n\[Next message:\]\n\nfour$/);
    expect(asked.slice(1)).toEqual(['ada heard: four', 'five', 'ada heard: five', 'six']);
    await remove(sent[0]!.message.id);
    expect(whereIs('About one')).toEqual([]);
    expect(checkDatabase(server.parley.home)).toEqual([]);
  });
});

describe('those who watch', () => {
  const load = async (sessionId: string): Promise<SessionState> => {
    const params = { sessionId };
    const [session, { messages }, { queue }, { turns }] = await Promise.all([
      server.session(sessionId),
      server.call('listMessages', { params, query: { limit: 500 } }),
      server.call('listQueue', { params }),
      server.call('listTurns', { params, query: { limit: 500 } }),
    ]);
    return fromSnapshot({ session, messages, queue, turns });
  };

  it('see the same as those who load it anew', async () => {
    const id = await server.open();
    await server.say(id, 'first');
    const { message, turn } = await server.say(id, 'second');
    await server.call('retryTurn', { params: { turnId: turn.id }, query: { wait: 15 } });
    await server.say(id, 'third');
    const before = await load(id);
    const seen = await watch(server, `/api/sessions/${id}/events?after=${before.lastSeq}`);
    await remove(message.id);
    const frames = await seen(({ type }) => type === 'message.deleted');
    const after = frames.reduce((state, { data }) => applyFrame(state, data as StreamFrame), before);
    const fresh = await load(id);
    expect(after.stale).toBe(false);
    expect(shownMessages(after)).toEqual(shownMessages(fresh));
    expect({ ...after, messages: null, turns: [...after.turns.keys()].sort() }).toEqual({
      ...fresh,
      messages: null,
      turns: [...fresh.turns.keys()].sort(),
    });
  });

  it('and had missed something know that they did, on either stream', async () => {
    const id = await server.open();
    const missed = await load(id);
    const { position } = await server.call('listSessions');
    const { message } = await server.say(id, 'gone soon');
    await server.say(id, 'stays');
    await remove(message.id);
    const [reset] = await follow(server, `/api/sessions/${id}/events?after=${missed.lastSeq}`, () => true);
    expect(reset!.type).toBe('reset');
    const shared = await follow(server, `/api/events?after=${position}`, ({ type }) => type === 'message.deleted');
    expect(JSON.stringify(shared)).not.toContain('gone soon');
    const mine = shared.filter(({ data }) => data.sessionId === id);
    expect(mine.map(({ type }) => type)).toEqual(['message.deleted']);
    const state = mine.reduce((known, { data }) => applyFrame(known, data as StreamFrame), missed);
    expect(state.stale).toBe(true);
  });
});

describe('what cannot be deleted', () => {
  it('while somebody speaks, or before it has its place', async () => {
    const held = gate();
    scripted.answers('ada', { steps: [...text('Half'), { kind: 'gate', until: held.until }] });
    const id = await server.open();
    const { message, turn } = await server.send(id, 'go');
    const waiting = await server.send(id, 'next');
    await server.refused('session_busy', 'deleteMessage', { params: { messageId: message.id } });
    const queued = await server.refused('invalid_request', 'deleteMessage', {
      params: { messageId: waiting.message.id },
    });
    expect(queued.detail).toContain('queue');
    held.open();
    await server.settled(waiting.turn.id);
    expect((await server.turn(turn.id)).state).toBe('complete');
    await remove(message.id);
    await server.refused('message_not_found', 'deleteMessage', { params: { messageId: message.id } });
    expect(await server.transcript(id)).toEqual(['user: next', 'ada: ada heard: next']);
  });

  it('is written down, without its words', async () => {
    const id = await server.open();
    const { message } = await server.say(id, 'confidential');
    await remove(message.id);
    const { entries } = await server.call('listAudit', { query: { limit: 1 } });
    expect(entries[0]).toMatchObject({ action: 'message.deleted', object: message.id, detail: null });
  });
});
