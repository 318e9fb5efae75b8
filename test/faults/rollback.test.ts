import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Part } from '../../contract/messages.ts';
import { until } from '../harness/parley.ts';
import { answerNext } from '../suites/answering.ts';
import { ask, call, ScriptedAgents } from '../suites/scripted-agents.ts';
import { TestServer } from '../suites/test-server.ts';

/** What a transaction has changed in memory must be undone when it is rolled back. */
let server: TestServer;
let scripted: ScriptedAgents;
let database: DatabaseSync;

beforeAll(async () => {
  server = await TestServer.start({
    agents: ['ada', 'bob'],
    agent: { toolAllowlist: null, agentAllowlist: null, approvals: { todo_list: 'ask' } },
  });
  scripted = new ScriptedAgents(server.provider);
  database = new DatabaseSync(path.join(server.parley.home, 'parley.db'), { timeout: 10_000 });
});
afterAll(async () => {
  database.close();
  await server.close();
});

/** Has the database refuse some writes until what is returned is called. */
function refuse(what: string): () => void {
  database.exec(`CREATE TRIGGER refused BEFORE ${what} BEGIN SELECT RAISE(ABORT, 'refused by the test'); END`);
  return () => database.exec('DROP TRIGGER refused');
}

async function isLogged(words: string): Promise<void> {
  await until(
    async () => server.parley.stderr,
    (text) => text.includes(words),
    20_000,
  );
  server.parley.stderr = '';
}

function callsOf(turnId: string) {
  return server.call('listToolCalls', { params: { turnId } });
}

it('an answer that could not be stored at first is kept once', async () => {
  const sessionId = await server.open('ada');
  scripted.answers('ada', [call('ask_user', { question: 'Which?' })], 'Thanks.');
  const { turn } = await server.send(sessionId, 'Go.');
  const accept = refuse('UPDATE ON tool_calls WHEN NEW.answers IS NOT NULL');
  await answerNext(server, sessionId, { decision: 'answer', text: 'Blue.' });
  await isLogged('a tool call could not be stored yet');
  accept();
  await server.settled(turn.id);
  const [asked] = (await callsOf(turn.id)).calls;
  expect(asked!.answers).toMatchObject([{ question: 'Which?', text: 'Blue.' }]);
});

it('a turn whose wait could not be stored has not waited', async () => {
  const sessionId = await server.open('ada');
  scripted.answers('ada', [call('todo_list', {})], 'Listed.');
  const accept = refuse(`UPDATE ON sessions WHEN NEW.status = 'waiting'`);
  const { turn } = await server.send(sessionId, 'Go.');
  await isLogged('a turn failed with an internal error');
  const settled = await server.settled(turn.id);
  accept();
  expect(settled).toMatchObject({ state: 'failed', waitedMs: 0 });
});

it('a result that was never stored is not in the answer of the cancelled turn either', async () => {
  const sessionId = await server.open('ada');
  scripted.answers('ada', [call('journal_list', {})], 'Nothing yet.');
  const accept = refuse('UPDATE ON tool_calls WHEN NEW.ended_at IS NOT NULL');
  const { turn } = await server.send(sessionId, 'What is in the journal?');
  await isLogged('a tool call could not be stored yet');
  const cancelled = server.cancelTurn(turn.id);
  await isLogged('a turn could not be settled yet');
  accept();
  await cancelled;
  await server.settled(turn.id);
  const [stored] = (await callsOf(turn.id)).calls;
  const message = (await server.messages(sessionId)).find(({ turnId, role }) => turnId === turn.id && role !== 'user');
  const parts = (message?.parts ?? []).flatMap((part: Part) => (part.type === 'tool_call' ? [part.state] : []));
  expect([stored!.state, ...parts]).toEqual(['cancelled', 'cancelled']);
});

it('a delegate that cannot be stopped in the background does not end the server', async () => {
  const sessionId = await server.open('ada');
  scripted.answers('bob', [{ kind: 'stall' }]);
  scripted.answers(
    'ada',
    [ask('bob', 'Work.', { mode: 'async' })],
    [ask('bob', 'Then this.', { session: 'latest' })],
    'Never said.',
  );
  const { turn } = await server.send(sessionId, 'Go.');
  await until(
    async () => (await server.call('listDelegations', { params: { sessionId } })).delegations,
    (delegations) => delegations.length === 2,
  );
  const accept = refuse(`UPDATE ON turns WHEN NEW.stop_reason = 'parent_stopped'`);
  scripted.answers('ada', 'Here.');
  await server.send(sessionId, { content: 'Now this.', busy: 'interrupt' });
  await isLogged('a turn could not be stopped whole');
  accept();
  expect(await server.settled(turn.id)).toMatchObject({ state: 'interrupted' });
  expect(server.parley.exited).toBe(false);
});
