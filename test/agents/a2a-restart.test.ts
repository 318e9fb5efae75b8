import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ActionList } from '../../contract/actions.ts';
import type { RemoteCard } from '../../contract/agents.ts';
import type { Message } from '../../contract/messages.ts';
import type { Turn } from '../../contract/turns.ts';
import { A2aPeer } from '../harness/a2a/peer.ts';
import { letGoOn } from '../harness/a2a/peer-script.ts';
import { checkPromises } from '../harness/checker.ts';
import { Ledger } from '../harness/ledger.ts';
import { Parley, until } from '../harness/parley.ts';

let peers: Record<string, A2aPeer>;
let parley: Parley;
let ledger: Ledger;

beforeAll(async () => {
  peers = { far: await A2aPeer.start('1.0'), old: await A2aPeer.start('0.3') };
  const agents = Object.entries(peers).map(([agentId, { url }]) => ({ agentId, type: 'a2a', a2a: { url } }));
  const allowHosts = Object.values(peers).map(({ host }) => host);
  parley = await Parley.start({ config: { agents, tools: { fetch: { allowHosts } } } });
  ledger = new Ledger();
  for (const agentId of Object.keys(peers)) {
    const { hash } = await parley.ok<RemoteCard>('GET', `/api/agent-cards/${agentId}`);
    await parley.ok('POST', `/api/agent-cards/${agentId}`, { hash });
  }
});

afterAll(async () => {
  await parley.close();
  for (const peer of Object.values(peers)) await peer.close();
});

async function begin(agentId: string, content: string): Promise<{ sessionId: string; turnId: string }> {
  const { id: sessionId } = await ledger.createSession(parley, { agentId });
  const { status, body } = await ledger.send(parley, sessionId, { content });
  if (status >= 300) throw new Error(JSON.stringify(body));
  return { sessionId, turnId: body.turn.id };
}

function settled(turnId: string): Promise<{ turn: Turn; answer: Message | null }> {
  return until(
    () => parley.ok<{ turn: Turn; answer: Message | null }>('GET', `/api/turns/${turnId}`),
    ({ turn }) => turn.endedAt !== null,
    15_000,
  );
}

/** What the server has on disk of a running turn: the words, and with them what it needs to go on. */
function flushed(sessionId: string, words: string): Promise<unknown> {
  return until(
    () => parley.ok<{ partials: { parts: { text: string }[] }[] }>('GET', `/api/sessions/${sessionId}/snapshot`),
    ({ partials }) => JSON.stringify(partials).includes(words),
  );
}

it.each(['far', 'old'])('a task of %s is followed again after a kill, and sent once', async (agentId) => {
  const peer = peers[agentId]!;
  const { sessionId, turnId } = await begin(agentId, `say One.\nhold ${agentId}\nsay  Two.`);
  await flushed(sessionId, 'One.');
  await new Promise((resolve) => setTimeout(resolve, 600));
  const sent = peer.messages.length;
  await parley.kill();
  await parley.restart();
  expect((await parley.turn(turnId)).state).toBe('running');
  await until(
    async () => peer.methods.at(-1)!,
    (method) => /SubscribeToTask|resubscribe/.test(method),
  );
  letGoOn(agentId);
  const { turn, answer } = await settled(turnId);
  expect([turn.state, answer?.text]).toEqual(['complete', 'One. Two.']);
  expect([peer.messages.length, peer.cancelled]).toEqual([sent, []]);

  const { contextId } = [...peer.tasks.values()].at(-1)!;
  const guest = agentId === 'far' ? 'old' : 'far';
  await say(sessionId, { content: 'say A guest was here.', guest });
  await say(sessionId, { content: 'say Further.' });
  const next = peer.messages.at(-1)!;
  const told = next.parts.join('\n');
  expect([next.contextId, told.match(new RegExp(`^${guest}: `, 'gm')), told.match(/^User: /gm)]).toEqual([
    contextId,
    [`${guest}: `],
    ['User: '],
  ]);
  expect(told).toMatch(/A guest was here\.[\s\S]*say Further\.$/);
  expect(told).not.toMatch(new RegExp(`^${agentId}: `, 'm'));
});

async function say(sessionId: string, message: { content: string; guest?: string }): Promise<void> {
  const { body } = await ledger.send(parley, sessionId, message);
  expect((await settled(body.turn.id)).turn.state).toBe('complete');
}

it('a task that ended while the server was away is read as it ended', async () => {
  const { sessionId, turnId } = await begin('far', 'say One.\nhold away\nsay  Two.');
  await flushed(sessionId, 'One.');
  await new Promise((resolve) => setTimeout(resolve, 600));
  await parley.kill();
  letGoOn('away');
  await until(
    async () => [...peers.far!.tasks.values()].at(-1)!.state,
    (state) => state === 'completed',
  );
  await parley.restart();
  const { turn, answer } = await settled(turnId);
  expect([turn.state, answer?.text]).toEqual(['complete', 'One. Two.']);
});

it('a server that stops in good order leaves the task alone and takes it up again', async () => {
  const { sessionId, turnId } = await begin('far', 'say One.\nhold orderly\nsay  Two.');
  await flushed(sessionId, 'One.');
  await parley.stop();
  expect(peers.far!.cancelled).toEqual([]);
  await parley.restart();
  letGoOn('orderly');
  expect((await settled(turnId)).answer?.text).toBe('One. Two.');
});

it('a task that is gone ends the turn with what is known', async () => {
  const { sessionId, turnId } = await begin('far', 'say One.\nhold gone');
  await flushed(sessionId, 'One.');
  await new Promise((resolve) => setTimeout(resolve, 600));
  await parley.kill();
  peers.far!.tasks.clear();
  await parley.restart();
  const { turn, answer } = await settled(turnId);
  expect([turn.state, answer?.text]).toEqual(['interrupted', 'One.']);
  letGoOn('gone');
});

it('a question waits over a kill, and its answer is sent once', async () => {
  const { sessionId, turnId } = await begin('far', 'ask Which?');
  const open = async () => (await parley.ok<ActionList>('GET', `/api/actions?session=${sessionId}`)).actions;
  const [action] = await until(open, (actions) => actions.length === 1);
  await new Promise((resolve) => setTimeout(resolve, 600));
  await parley.kill();
  await parley.restart();
  await parley.ok('POST', `/api/actions/${action!.id}/answer`, { decision: 'answer', text: 'This.' });
  expect((await settled(turnId)).answer?.text).toBe('Answered: This.');
  expect(peers.far!.messages.filter(({ text }) => text === 'This.')).toHaveLength(1);
});

it('nothing is lost by all this', async () => {
  await checkPromises(parley, ledger);
});
