import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { Message } from '../../contract/messages.ts';
import type { Turn } from '../../contract/turns.ts';
import { type Answer, Parley, until } from '../harness/parley.ts';

const SECRET = 'a shared secret';

interface Input {
  event: string;
  turnId: string;
  sessionId: string;
  text: string;
  callback: { url: string; token: string };
}

let receiver: Server;
let parley: Parley;
let inputs: { body: Input; raw: string; headers: IncomingMessage['headers'] }[] = [];
/** What the receiver answers with, one status for each request; then 202. */
let statuses: number[] = [];

beforeAll(async () => {
  receiver = createServer(async (request, response) => {
    const raw = Buffer.concat(await request.toArray()).toString();
    inputs.push({ raw, body: JSON.parse(raw), headers: request.headers });
    response.writeHead(statuses.shift() ?? 202).end();
  });
  receiver.listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  const host = `127.0.0.1:${(receiver.address() as AddressInfo).port}`;
  const external = { inputUrl: `http://${host}/input`, secret: SECRET };
  const agents = [
    { agentId: 'oracle', type: 'external', external },
    { agentId: 'hasty', type: 'external', external: { ...external, answerSeconds: 2 } },
    { agentId: 'lost', type: 'external', external: { ...external, inputUrl: 'http://127.0.0.1:9/input' } },
    { agentId: 'near', chat: { provider: 'demo' } },
  ];
  const tools = { fetch: { allowHosts: [host, '127.0.0.1:9'] } };
  parley = await Parley.start({ config: { agents, tools, limits: { turnMs: 1000 } } });
});

beforeEach(() => {
  inputs = [];
  statuses = [];
});

afterAll(async () => {
  await parley.close();
  receiver.closeAllConnections();
  receiver.close();
});

async function begin(content: string, agentId = 'oracle'): Promise<{ sessionId: string; turn: Turn; input: Input }> {
  const { id: sessionId } = await parley.createSession({ agentId });
  return { sessionId, ...(await send(sessionId, content)) };
}

async function send(sessionId: string, content: string): Promise<{ turn: Turn; input: Input }> {
  const { turn } = await parley.send(sessionId, { content });
  const [found] = await until(
    async () => inputs.filter(({ body }) => body.turnId === turn.id && body.event === 'message'),
    (found) => found.length > 0,
  );
  await until(
    () => callBack(found!.body, { text: '', offset: 0 }),
    ({ status }) => status === 200,
  );
  return { turn, input: found!.body };
}

/** At the address that the server has now. */
async function callBack({ callback }: Input, body: object, token = callback.token): Promise<Answer<{ code: string }>> {
  const { pathname } = new URL(callback.url);
  return parley.request('POST', pathname, body, { Authorization: `Bearer ${token}` });
}

async function settled(turnId: string): Promise<{ turn: Turn; answer: Message | null }> {
  return until(
    () => parley.ok<{ turn: Turn; answer: Message | null }>('GET', `/api/turns/${turnId}`),
    ({ turn }) => turn.endedAt !== null,
    15_000,
  );
}

it('is sent a signed input, and answers in pieces', async () => {
  const { turn, input } = await begin('What is it?');
  const { raw, headers } = inputs[0]!;
  const signed = createHmac('sha256', SECRET).update(`${headers['parley-timestamp']}.${raw}`).digest('hex');
  expect(headers).toMatchObject({ 'parley-signature': `v1=${signed}`, 'idempotency-key': turn.id });
  expect(input).toMatchObject({ text: 'What is it?', sessionId: turn.sessionId });
  expect(input.callback.url).toBe(`${parley.url}/api/external/turns/${turn.id}`);
  expect((await callBack(input, { text: 'It is ', offset: 0 })).status).toBe(200);
  expect((await callBack(input, { text: 'It is ', offset: 0 })).body).toEqual({ length: 6 });
  expect((await callBack(input, { text: '…', offset: 9 })).body.code).toBe('callback_gap');
  expect((await callBack(input, { text: '42.', offset: 6, end: true })).status).toBe(200);
  const { turn: ended, answer } = await settled(turn.id);
  expect([ended.state, answer?.text]).toEqual(['complete', 'It is 42.']);
  const late = await callBack(input, { text: 'More.' });
  expect([late.status, late.body.code]).toEqual([409, 'turn_ended']);
});

it('keeps the conversation under the session, and is sent what it has not seen', async () => {
  const { sessionId, input } = await begin('First.');
  await callBack(input, { text: 'One.', end: true });
  await until(
    () => parley.session(sessionId),
    ({ status }) => status === 'active',
  );
  await parley.say(sessionId, { content: 'And you?', guest: 'near' });
  const second = await send(sessionId, 'Second.');
  expect(second.input.sessionId).toBe(sessionId);
  expect(second.input.text).toMatch(/User: And you\?[\s\S]*near: [\s\S]*Second\.$/);
  expect(second.input.text).not.toContain('oracle: One.');
  await callBack(second.input, { error: 'No idea.' });
  expect((await settled(second.turn.id)).turn).toMatchObject({ state: 'failed', error: { code: 'agent_failed' } });
});

it('can take longer than other agents, as long as its definition says', async () => {
  const slow = await begin('Slowly.');
  const hasty = await begin('In two seconds.', 'hasty');
  expect((await settled(hasty.turn.id)).turn).toMatchObject({ state: 'failed', error: { code: 'turn_timeout' } });
  expect((await callBack(hasty.input, { text: 'Too late.', end: true })).body.code).toBe('turn_ended');
  expect((await parley.turn(slow.turn.id)).state).toBe('running');
  await callBack(slow.input, { text: 'At last.', end: true });
  expect((await settled(slow.turn.id)).answer?.text).toBe('At last.');
});

it('is told by nobody but the holder of the token of the turn', async () => {
  const { turn, input } = await begin('Go.');
  const other = await begin('Go.');
  for (const token of [parley.token, other.input.callback.token, 'parley-callback-x'])
    expect((await callBack(input, { text: 'Forged.' }, token)).body.code).toBe('callback_refused');
  const wrong = await callBack(input, { text: 'x', sessionId: other.sessionId });
  expect([wrong.status, wrong.body.code]).toEqual([404, 'session_not_found']);
  await callBack(input, { text: 'Real.', sessionId: input.sessionId, end: true });
  expect((await settled(turn.id)).answer?.text).toBe('Real.');
  await parley.ok('POST', `/api/turns/${other.turn.id}/cancellation`);
  await until(
    async () => inputs.map(({ body }) => body.event),
    (events) => events.includes('cancel'),
  );
  expect((await callBack(other.input, { text: 'Late.' })).body.code).toBe('turn_ended');
});

it('is sent the input again only while it cannot have taken it', async () => {
  statuses = [503, 429];
  const { turn, input } = await begin('Again.');
  expect(inputs.map(({ headers }) => headers['idempotency-key'])).toEqual([turn.id, turn.id, turn.id]);
  await callBack(input, { text: 'Yes.', end: true });
  statuses = [400];
  const { id } = await parley.createSession({ agentId: 'oracle' });
  const { turn: refused } = await parley.say(id, { content: 'Refuse.' });
  expect([refused.state, refused.error?.code, inputs.length]).toEqual(['failed', 'agent_unreachable', 4]);
  const lost = await parley.createSession({ agentId: 'lost' });
  expect((await parley.say(lost.id, { content: 'Hello?' })).turn.error?.code).toBe('agent_unreachable');
});

it('answers after a kill of the server, and is not sent the input a second time', async () => {
  const { sessionId, turn, input } = await begin('Slowly.');
  await callBack(input, { text: 'Half ', offset: 0 });
  await parley.kill();
  await parley.restart();
  expect((await parley.turn(turn.id)).state).toBe('running');
  await until(
    () => callBack(input, { text: 'Half and half.', offset: 0, end: true }),
    ({ status }) => status === 200,
  );
  expect((await settled(turn.id)).answer?.text).toBe('Half and half.');
  expect(inputs).toHaveLength(1);
  expect((await parley.messages(sessionId)).map(({ text }) => text)).toEqual(['Slowly.', 'Half and half.']);

  await parley.say(sessionId, { content: 'And you?', guest: 'near' });
  const next = await send(sessionId, 'Second.');
  expect(next.input.text).toMatch(/User: And you\?[\s\S]*near: [\s\S]*Second\.$/);
  expect(next.input.text).not.toMatch(/User: Slowly\.|oracle: Half and half\./);
  await callBack(next.input, { text: 'Done.', end: true });
});

it('is told that the turn is over by its second ending, also before the first one is stored', async () => {
  const { turn, input } = await begin('Twice at once.');
  const database = new DatabaseSync(path.join(parley.home, 'parley.db'));
  database.exec('BEGIN IMMEDIATE');
  const first = callBack(input, { text: 'One.', end: true });
  const later = [
    await callBack(input, { text: 'Two.', end: true }),
    await callBack(input, { text: 'Three.', end: true }),
  ];
  database.exec('ROLLBACK');
  database.close();
  for (const { status, body } of later) expect([status, body.code]).toEqual([409, 'turn_ended']);
  expect((await first).status).toBe(200);
  expect((await settled(turn.id)).answer?.text).toBe('One.');
});

it('counts what it has sent, tags included, and tells it again after a kill where some of that was not shown', async () => {
  const { turn, input } = await begin('With tags.');
  const told = '<from agent="oracle">It is <b>4';
  expect((await callBack(input, { text: told, offset: 0 })).body).toEqual({ length: told.length });
  await parley.kill();
  await parley.restart();
  const next = () => callBack(input, { text: '2</b>.</from>', offset: told.length, end: true });
  const gap = await until(next, ({ status }) => status !== 503);
  expect([gap.status, gap.body.code]).toEqual([409, 'callback_gap']);
  expect((await callBack(input, { text: told, offset: 0 })).body).toEqual({ length: told.length });
  expect((await next()).status).toBe(200);
  expect((await settled(turn.id)).answer?.text).toBe('It is <b>42</b>.');
});
