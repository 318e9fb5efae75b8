import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { applyFrame, fromSnapshot, type SessionState, shownMessages } from '../../client/session-state.ts';
import type { StreamFrame } from '../../contract/events.ts';
import type { Session } from '../../contract/sessions.ts';
import { checkDatabase } from '../harness/check-database.ts';
import { until } from '../harness/parley.ts';
import { gate, text } from '../harness/scripted-script.ts';
import { Cast, call } from './cast.ts';
import { follow, watch } from './following.ts';
import { Stage } from './stage.ts';

let stage: Stage;
let cast: Cast;

beforeAll(async () => {
  stage = await Stage.start({
    agents: [
      'ada',
      { agentId: 'bob', toolAllowlist: ['todo_*', 'bash'], approvals: { todo_add: 'ask', bash: 'allow' } },
      'eve',
      { agentId: 'boss', agentAllowlist: ['ada', 'eve'], delegation: { tags: true } },
    ],
    config: { tools: { bash: { agents: ['bob'] } } },
  });
  cast = new Cast(stage.provider);
});
beforeEach(() => cast.clear());
afterAll(() => stage.close());

const remove = (messageId: string): Promise<Session> => stage.call('deleteMessage', { params: { messageId } });

/** Every value in the database that holds a word. */
function whereIs(word: string): string[] {
  const db = new DatabaseSync(path.join(stage.parley.home, 'parley.db'), { readOnly: true, timeout: 5000 });
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
  return (await stage.call('search', { query: { q: word } })).hits.length;
}

/** The branch as its links say it, from the head back to the beginning. */
async function chain(sessionId: string): Promise<string[]> {
  const shown = await stage.messages(sessionId);
  const byId = new Map(shown.map((message) => [message.id, message]));
  const line: string[] = [];
  let id = (await stage.session(sessionId)).headId;
  for (; id; id = byId.get(id)?.parentId ?? null) line.unshift(byId.get(id)?.text ?? 'not shown');
  return line;
}

describe('deleting what the person said', () => {
  it('takes its answers along and leaves what came before and after it', async () => {
    const id = await stage.open();
    await stage.say(id, 'first');
    const { message, turn } = await stage.say(id, 'unwanted xylophone');
    await stage.say(id, 'third');
    expect(whereIs('xylophone')).not.toEqual([]);
    const session = await remove(message.id);
    const left = ['user: first', 'ada: ada heard: first', 'user: third', 'ada: ada heard: third'];
    expect(await stage.transcript(id)).toEqual(left);
    expect(await chain(id)).toEqual(left.map((line) => line.replace(/^\w+: /, '')));
    expect(session).toMatchObject({
      messageCount: 4,
      status: 'active',
      title: 'first',
      lastSnippet: 'ada heard: third',
    });
    expect(session).toEqual(await stage.session(id));
    await stage.refused('message_not_found', 'getMessage', { params: { messageId: message.id } });
    await stage.refused('turn_not_found', 'getTurn', { params: { turnId: turn.id } });
    expect(checkDatabase(stage.parley.home)).toEqual([]);
  });

  it('leaves its words nowhere: not in the search, not in events, not in what was asked of the model', async () => {
    const id = await stage.open();
    const { message } = await stage.say(id, 'a zeppelin over the first message');
    await stage.say(id, 'and then');
    expect(await finds('zeppelin')).toBe(2);
    await remove(message.id);
    expect(await finds('zeppelin')).toBe(0);
    expect(whereIs('zeppelin')).toEqual([]);
    await stage.say(id, 'once more');
    expect(JSON.stringify(stage.prompt('ada'))).not.toContain('zeppelin');
    expect(
      stage
        .prompt('ada')
        .slice(1)
        .map(({ content }) => content),
    ).toEqual(['and then', 'ada heard: and then', 'once more']);
  });

  it('makes the title anew when it came from there, and keeps a name', async () => {
    const id = await stage.open();
    const first = await stage.say(id, 'gladiolus');
    const second = await stage.say(id, 'tulip');
    expect((await remove(first.message.id)).title).toBe('tulip');
    await stage.call('renameSession', { params: { sessionId: id }, body: { name: `Garden ${id}` } });
    expect(await remove(second.message.id)).toMatchObject({
      title: `Garden ${id}`,
      headId: null,
      messageCount: 0,
      lastSnippet: '',
      status: 'idle',
      agents: [],
      unreadCount: 0,
    });
    expect(await stage.messages(id)).toEqual([]);
    await stage.say(id, 'daisy');
    expect(await stage.transcript(id)).toEqual(['user: daisy', 'ada: ada heard: daisy']);
  });

  it('takes along every answer to it, on every branch and of every guest', async () => {
    const id = await stage.open();
    await stage.say(id, 'before');
    const { message, turn } = await stage.say(id, '@ada @eve who wins?');
    await stage.call('retryTurn', { params: { turnId: turn.id }, query: { wait: 15 }, body: { agent: 'bob' } });
    await remove(message.id);
    expect(await stage.transcript(id)).toEqual(['user: before', 'ada: ada heard: before']);
    expect((await stage.session(id)).agents).toEqual(['ada']);
    expect((await stage.turns(id)).length).toBe(1);
    expect((await stage.call('listSessions', { query: { agent: 'eve' } })).sessions.map((one) => one.id)).not.toContain(
      id,
    );
    expect(checkDatabase(stage.parley.home)).toEqual([]);
  });

  it('leaves what was said instead of it', async () => {
    const id = await stage.open();
    await stage.say(id, 'begin');
    const { message } = await stage.say(id, 'one way');
    const params = { messageId: message.id };
    await stage.call('reviseMessage', { params, query: { wait: 15 }, body: { content: 'another way' } });
    await remove(message.id);
    expect(await stage.transcript(id)).toEqual([
      'user: begin',
      'ada: ada heard: begin',
      'user: another way',
      'ada: ada heard: another way',
    ]);
    expect((await stage.messages(id)).every(({ siblings }) => siblings === undefined)).toBe(true);
  });

  it('shows the other way when the one that was shown is gone, also at the very beginning', async () => {
    const id = await stage.open();
    const { message } = await stage.say(id, 'one way');
    const revised = await stage.call('reviseMessage', {
      params: { messageId: message.id },
      query: { wait: 15 },
      body: { content: 'another way' },
    });
    await stage.say(id, 'further');
    await remove(revised.message.id);
    // What came later follows nothing now; it is what is shown.
    expect(await stage.transcript(id)).toEqual(['user: further', 'ada: ada heard: further']);
    const further = (await stage.messages(id))[0]!;
    expect(further.siblings).toEqual([message.id, further.id]);
    await remove(further.id);
    expect(await stage.transcript(id)).toEqual(['user: one way', 'ada: ada heard: one way']);
    expect(await chain(id)).toEqual(['one way', 'ada heard: one way']);
    expect(checkDatabase(stage.parley.home)).toEqual([]);
  });

  it('takes along what was delegated in its answer', async () => {
    cast.plays('boss', 'Ada shall. <delegate to="ada">look it up</delegate>', 'So it is.');
    const id = await stage.open('boss');
    const { message } = await stage.say(id, 'please');
    expect((await stage.messages(id)).length).toBe(5);
    cast.clear();
    await stage.say(id, 'thanks');
    await remove(message.id);
    expect(await stage.transcript(id)).toEqual(['user: thanks', 'boss: boss heard: thanks']);
    expect(whereIs('look it up')).toEqual([]);
    expect(checkDatabase(stage.parley.home)).toEqual([]);
  });

  it('takes along what tools did, what was asked of the person, and what works in the background', async () => {
    cast.plays(
      'bob',
      [call('todo_add', { title: 'rhubarb' })],
      [call('bash', { command: 'echo rhubarb', background: true })],
      'ok',
    );
    const id = await stage.open('bob');
    const { message, turn } = await stage.send(id, 'the rhubarb');
    const { actions } = await until(
      () => stage.call('listActions', { query: { session: id } }),
      (list) => list.actions.length > 0,
    );
    await stage.refused('session_busy', 'deleteMessage', { params: { messageId: message.id } });
    const answer = { params: { actionId: actions[0]!.id }, body: { decision: 'once' } };
    await stage.call('answerAction', answer);
    await stage.settled(turn.id);
    await until(
      () => stage.session(id),
      ({ status, messageCount }) => status === 'active' && messageCount >= 4,
    );
    const [child] = (await stage.call('listSessions', { query: { parent: id } })).sessions;
    expect(child?.type).toBe('tool-execution');
    await remove(message.id);
    const [notice] = await stage.messages(id);
    await remove(notice!.id);
    expect(await stage.messages(id)).toEqual([]);
    await stage.refused('session_not_found', 'getSession', { params: { sessionId: child!.id } });
    // The list itself is the person's, and so is the note that a tool was allowed.
    expect(whereIs('rhubarb').filter((table) => table !== 'plugin_items')).toEqual([]);
    expect(checkDatabase(stage.parley.home)).toEqual([]);
  });

  it('takes along that it failed', async () => {
    cast.plays('ada', { status: 401, body: '{}' });
    const id = await stage.open();
    const earlier = await stage.say(id, 'fail as well');
    cast.plays('ada', { status: 401, body: '{}' });
    const { message } = await stage.say(id, 'fail');
    expect((await remove(earlier.message.id)).status).toBe('error');
    expect((await stage.call('listActions', { query: { session: id } })).actions.length).toBe(1);
    const seen = await watch(stage, `/api/sessions/${id}/events`);
    expect((await remove(message.id)).status).toBe('idle');
    const types = (await seen(({ type }) => type === 'message.deleted')).map(({ type }) => type);
    expect(types).toEqual(['action.settled', 'message.deleted']);
    expect((await stage.call('listActions', { query: { session: id } })).actions).toEqual([]);
  });
});

describe('deleting what an agent said', () => {
  it('takes nothing else along', async () => {
    const id = await stage.open();
    const { message, answer, turn } = await stage.say(id, 'a question');
    await stage.say(id, 'another');
    await remove(answer!.id);
    expect(await stage.transcript(id)).toEqual(['user: a question', 'user: another', 'ada: ada heard: another']);
    expect(await chain(id)).toEqual(['a question', 'another', 'ada heard: another']);
    expect(await stage.turn(turn.id)).toMatchObject({ state: 'complete', answerId: null, messageId: message.id });
    // Whoever wants an answer all the same asks again.
    await stage.call('retryTurn', { params: { turnId: turn.id }, query: { wait: 15 } });
    expect(await stage.transcript(id)).toEqual(['user: a question', 'ada: ada heard: a question']);
    expect(checkDatabase(stage.parley.home)).toEqual([]);
  });

  it('shows another answer when there is one', async () => {
    const id = await stage.open();
    const { turn, answer } = await stage.say(id, 'a question');
    const second = await stage.call('retryTurn', {
      params: { turnId: turn.id },
      query: { wait: 15 },
      body: { agent: 'eve' },
    });
    expect((await remove(second.answer!.id)).headId).toBe(answer!.id);
    expect(await stage.transcript(id)).toEqual(['user: a question', 'ada: ada heard: a question']);
    expect((await stage.messages(id))[1]!.siblings).toBeUndefined();
  });

  it('takes its tool calls along', async () => {
    cast.plays('bob', [call('todo_list', {})], 'Nothing to do.');
    const id = await stage.open('bob');
    const { answer, turn } = await stage.say(id, 'what is there?');
    const { calls } = await stage.call('listToolCalls', { params: { turnId: turn.id } });
    expect(calls.length).toBe(1);
    await remove(answer!.id);
    await stage.refused('tool_call_not_found', 'getToolCall', { params: { callId: calls[0]!.id } });
    expect((await stage.call('listToolCalls', { params: { turnId: turn.id } })).calls).toEqual([]);
  });

  it('is not counted as unread any more', async () => {
    const id = await stage.open();
    const { answer } = await stage.say(id, 'one');
    await stage.say(id, 'two');
    expect((await stage.session(id)).unreadCount).toBe(2);
    expect((await remove(answer!.id)).unreadCount).toBe(1);
  });
});

describe('a summary', () => {
  it('that holds words of what is deleted goes too; an earlier one stays', async () => {
    const id = await stage.open();
    const sent = [];
    for (const word of ['one', 'two', 'three', 'four', 'five']) sent.push(await stage.say(id, word));
    cast.plays('ada', 'About one and two.');
    await stage.call('compactSession', { params: { sessionId: id }, body: { keep: 6 } });
    cast.plays('ada', 'About one, two, three and four.');
    await stage.call('compactSession', { params: { sessionId: id }, body: { keep: 2 } });
    await remove(sent[2]!.message.id);
    expect(whereIs('three and four')).toEqual([]);
    expect(whereIs('About one and two')).not.toEqual([]);
    expect((await stage.messages(id)).map(({ archived }) => archived)).toEqual([
      true,
      true,
      true,
      true,
      ...Array(4).fill(false),
    ]);
    await stage.say(id, 'six');
    const asked = stage
      .prompt('ada')
      .slice(1)
      .map(({ content }) => content);
    expect(asked[0]).toContain('About one and two.');
    expect(asked.slice(1)).toEqual(['four', 'ada heard: four', 'five', 'ada heard: five', 'six']);
    await remove(sent[0]!.message.id);
    expect(whereIs('About one')).toEqual([]);
    expect(checkDatabase(stage.parley.home)).toEqual([]);
  });
});

describe('those who watch', () => {
  const load = async (sessionId: string): Promise<SessionState> => {
    const params = { sessionId };
    const [session, { messages }, { queue }, { turns }] = await Promise.all([
      stage.session(sessionId),
      stage.call('listMessages', { params, query: { limit: 500 } }),
      stage.call('listQueue', { params }),
      stage.call('listTurns', { params, query: { limit: 500 } }),
    ]);
    return fromSnapshot({ session, messages, queue, turns });
  };

  it('see the same as those who load it anew', async () => {
    const id = await stage.open();
    await stage.say(id, 'first');
    const { message, turn } = await stage.say(id, 'second');
    await stage.call('retryTurn', { params: { turnId: turn.id }, query: { wait: 15 } });
    await stage.say(id, 'third');
    const before = await load(id);
    const seen = await watch(stage, `/api/sessions/${id}/events?after=${before.lastSeq}`);
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
    const id = await stage.open();
    const missed = await load(id);
    const { position } = await stage.call('listSessions');
    const { message } = await stage.say(id, 'gone soon');
    await stage.say(id, 'stays');
    await remove(message.id);
    const [reset] = await follow(stage, `/api/sessions/${id}/events?after=${missed.lastSeq}`, () => true);
    expect(reset!.type).toBe('reset');
    const shared = await follow(stage, `/api/events?after=${position}`, ({ type }) => type === 'message.deleted');
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
    cast.plays('ada', { steps: [...text('Half'), { kind: 'gate', until: held.until }] });
    const id = await stage.open();
    const { message, turn } = await stage.send(id, 'go');
    const waiting = await stage.send(id, 'next');
    await stage.refused('session_busy', 'deleteMessage', { params: { messageId: message.id } });
    const queued = await stage.refused('invalid_request', 'deleteMessage', {
      params: { messageId: waiting.message.id },
    });
    expect(queued.detail).toContain('queue');
    held.open();
    await stage.settled(waiting.turn.id);
    expect((await stage.turn(turn.id)).state).toBe('complete');
    await remove(message.id);
    await stage.refused('message_not_found', 'deleteMessage', { params: { messageId: message.id } });
    expect(await stage.transcript(id)).toEqual(['user: next', 'ada: ada heard: next']);
  });

  it('is written down, without its words', async () => {
    const id = await stage.open();
    const { message } = await stage.say(id, 'confidential');
    await remove(message.id);
    const { entries } = await stage.call('listAudit', { query: { limit: 1 } });
    expect(entries[0]).toMatchObject({ action: 'message.deleted', object: message.id, detail: null });
  });
});
