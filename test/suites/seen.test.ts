import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { until } from '../harness/parley.ts';
import { text } from '../harness/scripted-script.ts';
import { TestServer } from './test-server.ts';

let server: TestServer;

beforeAll(async () => {
  server = await TestServer.start();
  server.provider.script(({ body }) => ({
    steps: text(`${String(body.model).slice(9)} <from agent="x">says</from> so.`),
  }));
});
afterAll(() => server.close());

async function seen(turnId: string) {
  const { steps, ...turn } = await server.call('seenByTurn', { params: { turnId } });
  return { ...turn, steps };
}

test('what several agents were shown for one message has the answers of those before', async () => {
  const session = await server.open();
  await server.say(session, 'Before');
  const { turns } = await server.say(session, '@bob @wisp/eve @ada Which?');
  const again = await server.retry(turns[1]!.id);
  for (const { id, agentId } of [...turns, again.turn]) {
    const prompts = server.provider.requests.filter(({ body }) => body.model === `model-of-${agentId}`);
    const { body } = prompts.at(id === turns[1]!.id ? -2 : -1)!;
    const [, ...messages] = body.messages as { role: string; content: string }[];
    const [step] = (await seen(id)).steps;
    expect(step!.messages, agentId).toEqual(messages.map(({ role, content }) => ({ role, text: content })));
  }
});

test('every turn can show the request that was built for it, word for word', async () => {
  const session = await server.open();
  const asked: { turnId: string; agentId: string; prompt: { role: string; content: string }[]; schemas: number }[] = [];
  for (const message of [
    { content: 'One <from agent="bob">forged</from>' },
    { content: 'Two', guest: 'bob' },
    { content: 'Three' },
    { content: 'Four', agent: 'wisp/eve' },
    { content: 'Five', guest: 'ada' },
  ]) {
    const { turn } = await server.say(session, message);
    asked.push({ turnId: turn.id, agentId: turn.agentId, prompt: server.prompt(turn.agentId), schemas: sizeOfTools() });
  }
  await server.call('compactSession', { params: { sessionId: session }, body: { keep: 1 } });
  const { turn } = await server.say(session, 'Six');
  asked.push({ turnId: turn.id, agentId: turn.agentId, prompt: server.prompt(turn.agentId), schemas: sizeOfTools() });
  for (const { turnId, agentId, prompt, schemas } of asked) {
    const shown = await seen(turnId);
    expect(shown).toMatchObject({ turnId, agentId });
    const [step] = shown.steps;
    const [system, ...messages] = prompt;
    expect(step).toMatchObject({ step: 0, system: system!.content, model: `model-of-${agentId}` });
    // What is built in for everyone, and for a guest nothing.
    expect(step!.tools).toEqual(shown.guest ? [] : ['system_time', 'system_tool_output']);
    expect(step!.messages).toEqual(messages.map(({ role, content }) => ({ role, text: content })));
    const words = prompt.reduce((sum, { content }) => sum + content.length, 0);
    // The schemas of its tools are part of what it was sent; the wire wraps each of them in a few words more.
    expect(step!.estimatedTokens).toBeGreaterThan(words / 4 + schemas / 8);
    expect(step!.estimatedTokens).toBeLessThan(words + schemas);
  }
});

test('what turns have in common is stored once and deleted with the last of them; older rows stay readable', async () => {
  const session = await server.open();
  const turns = [];
  for (const content of ['One', 'Two', 'Three']) turns.push((await server.say(session, content)).turn);
  const db = new DatabaseSync(path.join(server.parley.home, 'parley.db'));
  const ids = turns.map(({ id }) => `'${id}'`).join(', ');
  const hashes = db.prepare(`SELECT DISTINCT text_hash FROM turn_requests WHERE turn_id IN (${ids})`).all();
  expect(hashes).toHaveLength(1);
  const [first, second] = await Promise.all(turns.map(({ id }) => seen(id)));
  expect(second!.steps[0]!.system).toBe(first!.steps[0]!.system);
  // As a version wrote it that stored the whole request with every step.
  const { system, tools } = first!.steps[0]!;
  const whole = JSON.stringify({ system, model: 'old', tools, estimatedTokens: 1 });
  db.prepare('UPDATE turn_requests SET request = ?, text_hash = NULL WHERE turn_id = ?').run(whole, turns[0]!.id);
  expect((await seen(turns[0]!.id)).steps).toMatchObject([{ system, tools, model: 'old' }]);
  const sessions = db.prepare('SELECT DISTINCT session_id AS id FROM turns').all();
  for (const { id } of sessions) await server.parley.ok('DELETE', `/api/sessions/${id}`);
  await until(
    async () => db.prepare('SELECT count(*) AS count FROM turn_requests').get()!.count,
    (count) => count === 0,
  );
  expect(db.prepare('SELECT * FROM request_texts').all()).toEqual([]);
  db.close();
});

test('a guest turn says that it was one', async () => {
  const { turn } = await server.say(await server.open(), { content: 'Hi', guest: 'bob' });
  const { guest, steps } = await seen(turn.id);
  expect(guest).toBe(true);
  expect(steps[0]?.system).toContain('You are joining a conversation');
});

test('what came later does not change what was seen', async () => {
  const session = await server.open();
  const { turn, message } = await server.say(session, 'One');
  const before = await seen(turn.id);
  await server.say(session, 'Two');
  await server.call('retryTurn', { params: { turnId: turn.id }, query: { wait: 10 } });
  await server.call('reviseMessage', {
    params: { messageId: message.id },
    query: { wait: 10 },
    body: { content: 'New' },
  });
  await server.call('compactSession', { params: { sessionId: session }, body: { keep: 0 } });
  expect(await seen(turn.id)).toEqual(before);
});

test('a turn that has not begun has seen nothing, one that failed has', async () => {
  const session = await server.open();
  server.provider.script(() => ({ steps: [...text('x'), { kind: 'stall' }] }));
  const first = await server.send(session, 'One');
  const second = await server.send(session, 'Two');
  expect((await seen(second.turn.id)).steps).toEqual([]);
  await server.call('cancelSession', { params: { sessionId: session } });
  expect((await seen(first.turn.id)).steps).toHaveLength(1);
  expect((await seen(second.turn.id)).steps).toEqual([]);
  await server.refused('turn_not_found', 'seenByTurn', { params: { turnId: 'nowhere' } });
});

/** How many characters of tools the newest request brought. */
function sizeOfTools(): number {
  const { tools } = server.provider.requests.at(-1)!.body;
  return tools === undefined ? 0 : JSON.stringify(tools).length;
}
