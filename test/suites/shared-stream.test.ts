import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { scriptedAgent } from '../harness/agents.ts';
import { text } from '../harness/scripted-script.ts';
import type { Frame } from '../harness/sse-frames.ts';
import { follow, isDurable, scriptAnswers } from './following.ts';
import { Stage } from './stage.ts';

let stage: Stage;

beforeAll(async () => {
  stage = await Stage.start({ agents: ['ada', 'bob'] });
  scriptAnswers(stage);
});
afterAll(() => stage.close());

describe('the shared stream', () => {
  test('gathers deltas, loses none, and ends them before the event that ends the answer', async () => {
    const words = Array.from({ length: 200 }, (_, index) => `w${index} `);
    stage.provider.script(() => ({ steps: words.flatMap((word) => [...text(word), { kind: 'wait', ms: 1 }]) }));
    const session = await stage.open();
    const isOver = ({ type, data }: Frame) => type === 'turn.settled' && data.sessionId === session;
    const watching = Promise.all([follow(stage, '/api/events', isOver), follow(stage, '/api/events', isOver)]);
    await stage.say(session, 'Speak');
    const [one, two] = (await watching).map((frames) => frames.filter(({ data }) => data.sessionId === session));
    const deltas = one!.filter(({ type }) => type === 'delta');
    expect(deltas.map(({ data }) => data.text).join('')).toBe(words.join(''));
    expect(deltas.length).toBeLessThan(100);
    expect(one!.slice(-2).map(({ type }) => type)).toEqual(['message.created', 'turn.settled']);
    expect(two!.filter(isDurable)).toEqual(one!.filter(isDurable).slice(-two!.filter(isDurable).length));
  });

  test('leaves out live text when asked to', async () => {
    scriptAnswers(stage);
    const session = await stage.open();
    const isOver = ({ type }: Frame) => type === 'turn.settled';
    const watching = follow(stage, `/api/sessions/${session}/events?deltas=false&after=0`, isOver);
    await stage.say(session, 'Hi');
    expect((await watching).every(isDurable)).toBe(true);
  });

  test('shows only the sessions asked for', async () => {
    scriptAnswers(stage);
    const [one, two, three] = [await stage.open(), await stage.open(), await stage.open()];
    const { position } = await stage.call('listSessions');
    const watching = follow(
      stage,
      `/api/events?after=${position}&sessions=${one},${three}`,
      ({ type, data }) => type === 'turn.settled' && data.sessionId === three,
    );
    for (const session of [one, two, three]) await stage.say(session!, 'Hi');
    expect(new Set((await watching).map(({ data }) => data.sessionId))).toEqual(new Set([one, three]));
  });

  test('misses nothing between a list and a stream that begins at its position', async () => {
    scriptAnswers(stage);
    const { position } = await stage.call('listSessions');
    const { id } = await stage.create({ agentId: 'ada' });
    await stage.say(id, 'Hi');
    const frames = await follow(stage, `/api/events?after=${position}`, ({ type }) => type === 'turn.settled');
    expect(frames[0]).toMatchObject({ type: 'session.created', data: { sessionId: id, session: { id } } });
  });

  test('without a cursor begins now', async () => {
    scriptAnswers(stage);
    const session = await stage.open();
    await stage.say(session, 'Before');
    const leave = new AbortController();
    const stream = stage.parley.events(`/api/sessions/${session}/events`, {}, leave.signal);
    const next = stream.next();
    await new Promise((resolve) => setTimeout(resolve, 100));
    await stage.say(session, 'After');
    expect((await next).value).toMatchObject({ type: 'turn.queued', data: { message: { text: 'After' } } });
    leave.abort();
  });

  test.each(['-1', 'abc', '1.5', '99999999999999999'])('refuses the cursor %s', async (cursor) => {
    await stage.refused('invalid_request', 'events', { headers: { 'Last-Event-ID': cursor } });
    if (cursor.length < 10) await stage.refused('invalid_request', 'events', { query: { after: cursor } });
  });

  test('says when the configuration has changed, for better or worse', async () => {
    const file = path.join(stage.parley.home, 'agents', 'extra.json');
    mkdirSync(path.dirname(file), { recursive: true });
    const heard: string[][] = [];
    const watching = follow(stage, '/api/events', ({ type, data }) => {
      if (type === 'configuration.changed') heard.push(data.configuration.issues);
      return heard.length === 2;
    });
    await new Promise((resolve) => setTimeout(resolve, 100));
    writeFileSync(file, JSON.stringify(scriptedAgent(stage.provider.url, 'extra')));
    await expect.poll(() => heard.length, { timeout: 5000 }).toBe(1);
    writeFileSync(file, '{"agentId": "extra", "toolAllowlist": 3}');
    await watching;
    expect(heard[0]).toEqual([]);
    expect(heard[1]!.join()).toContain('toolAllowlist');
  });
});

test('events of a session that is deleted end with that; the shared stream says so too', async () => {
  scriptAnswers(stage);
  const session = await stage.open();
  await stage.say(session, 'Hi');
  const { position } = await stage.call('listSessions');
  const own = follow(stage, `/api/sessions/${session}/events`, ({ type }) => type === 'session.deleted');
  const shared = follow(stage, `/api/events?after=${position}`, ({ type }) => type === 'session.deleted');
  await new Promise((resolve) => setTimeout(resolve, 50));
  await stage.call('deleteSession', { params: { sessionId: session } });
  expect((await own).at(-1)?.data.sessionId).toBe(session);
  expect((await shared).at(-1)?.data.sessionId).toBe(session);
});
