import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { scriptedAgent } from '../harness/agents.ts';
import { text } from '../harness/scripted-script.ts';
import type { Frame } from '../harness/sse-frames.ts';
import { follow, isDurable, scriptAnswers } from './following.ts';
import { TestServer } from './test-server.ts';

let server: TestServer;

beforeAll(async () => {
  server = await TestServer.start({ agents: ['ada', 'bob'] });
  scriptAnswers(server);
});
afterAll(() => server.close());

describe('the shared stream', () => {
  test('gathers deltas, loses none, and ends them before the event that ends the answer', async () => {
    const words = Array.from({ length: 200 }, (_, index) => `w${index} `);
    server.provider.script(() => ({ steps: words.flatMap((word) => [...text(word), { kind: 'wait', ms: 1 }]) }));
    const session = await server.open();
    const isOver = ({ type, data }: Frame) => type === 'turn.settled' && data.sessionId === session;
    const watching = Promise.all([follow(server, '/api/events', isOver), follow(server, '/api/events', isOver)]);
    await server.say(session, 'Speak');
    const [one, two] = (await watching).map((frames) => frames.filter(({ data }) => data.sessionId === session));
    const deltas = one!.filter(({ type }) => type === 'delta');
    expect(deltas.map(({ data }) => data.text).join('')).toBe(words.join(''));
    expect(deltas.length).toBeLessThan(100);
    expect(one!.slice(-2).map(({ type }) => type)).toEqual(['message.created', 'turn.settled']);
    expect(two!.filter(isDurable)).toEqual(one!.filter(isDurable).slice(-two!.filter(isDurable).length));
  });

  test('leaves out live text when asked to', async () => {
    scriptAnswers(server);
    const session = await server.open();
    const isOver = ({ type }: Frame) => type === 'turn.settled';
    const watching = follow(server, `/api/sessions/${session}/events?deltas=false&after=0`, isOver);
    await server.say(session, 'Hi');
    expect((await watching).every(isDurable)).toBe(true);
  });

  test('shows only the sessions asked for', async () => {
    scriptAnswers(server);
    const [one, two, three] = [await server.open(), await server.open(), await server.open()];
    const { position } = await server.call('listSessions');
    const watching = follow(
      server,
      `/api/events?after=${position}&sessions=${one},${three}`,
      ({ type, data }) => type === 'turn.settled' && data.sessionId === three,
    );
    for (const session of [one, two, three]) await server.say(session!, 'Hi');
    expect(new Set((await watching).map(({ data }) => data.sessionId))).toEqual(new Set([one, three]));
  });

  test('misses nothing between a list and a stream that begins at its position', async () => {
    scriptAnswers(server);
    const { position } = await server.call('listSessions');
    const { id } = await server.create({ agentId: 'ada' });
    await server.say(id, 'Hi');
    const frames = await follow(server, `/api/events?after=${position}`, ({ type }) => type === 'turn.settled');
    expect(frames[0]).toMatchObject({ type: 'session.created', data: { sessionId: id, session: { id } } });
  });

  test('without a cursor begins now', async () => {
    scriptAnswers(server);
    const session = await server.open();
    await server.say(session, 'Before');
    const leave = new AbortController();
    const stream = server.parley.events(`/api/sessions/${session}/events`, {}, leave.signal);
    const next = stream.next();
    await new Promise((resolve) => setTimeout(resolve, 100));
    await server.say(session, 'After');
    expect((await next).value).toMatchObject({ type: 'turn.queued', data: { message: { text: 'After' } } });
    leave.abort();
  });

  test.each(['-1', 'abc', '1.5', '99999999999999999'])('refuses the cursor %s', async (cursor) => {
    await server.refused('invalid_request', 'events', { headers: { 'Last-Event-ID': cursor } });
    if (cursor.length < 10) await server.refused('invalid_request', 'events', { query: { after: cursor } });
  });

  test('says when the configuration has changed, for better or worse', async () => {
    const file = path.join(server.parley.home, 'agents', 'extra.json');
    mkdirSync(path.dirname(file), { recursive: true });
    const heard: string[][] = [];
    const watching = follow(server, '/api/events', ({ type, data }) => {
      if (type === 'configuration.changed') heard.push(data.configuration.issues);
      return heard.length === 2;
    });
    await new Promise((resolve) => setTimeout(resolve, 100));
    writeFileSync(file, JSON.stringify(scriptedAgent(server.provider.url, 'extra')));
    await expect.poll(() => heard.length, { timeout: 5000 }).toBe(1);
    writeFileSync(file, '{"agentId": "extra", "toolAllowlist": 3}');
    await watching;
    expect(heard[0]).toEqual([]);
    expect(heard[1]!.join()).toContain('toolAllowlist');
  });
});

test('events of a session that is deleted end with that; the shared stream says so too', async () => {
  scriptAnswers(server);
  const session = await server.open();
  await server.say(session, 'Hi');
  const { position } = await server.call('listSessions');
  const own = follow(server, `/api/sessions/${session}/events`, ({ type }) => type === 'session.deleted');
  const shared = follow(server, `/api/events?after=${position}`, ({ type }) => type === 'session.deleted');
  await new Promise((resolve) => setTimeout(resolve, 50));
  await server.call('deleteSession', { params: { sessionId: session } });
  expect((await own).at(-1)?.data.sessionId).toBe(session);
  expect((await shared).at(-1)?.data.sessionId).toBe(session);
});
