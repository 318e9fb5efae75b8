import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ActionList } from '../../contract/actions.ts';
import type { RemoteCard } from '../../contract/agents.ts';
import type { FileInfo } from '../../contract/files.ts';
import type { Turn } from '../../contract/turns.ts';
import { OfficialServer } from '../harness/a2a/official-server.ts';
import { scriptedAgent } from '../harness/agents.ts';
import { Parley, until } from '../harness/parley.ts';
import { ScriptedProvider } from '../harness/scripted-provider.ts';
import { ask, resultsIn, ScriptedAgents } from '../suites/scripted-agents.ts';

const WAYS = ['JSONRPC 1.0', 'HTTP+JSON 1.0', 'JSONRPC 0.3', 'HTTP+JSON 0.3'];
const servers = new Map<string, OfficialServer>();
let provider: ScriptedProvider;
let scripted: ScriptedAgents;
let parley: Parley;

beforeAll(async () => {
  for (const way of WAYS) servers.set(way, await OfficialServer.start(way));
  provider = await ScriptedProvider.start();
  scripted = new ScriptedAgents(provider);
  const agents = WAYS.map((way) => {
    const mayDelegate = { delegation: { tags: true }, agentAllowlist: ['boss'] };
    return { agentId: nameOf(way), type: 'a2a', a2a: { url: servers.get(way)!.url }, ...mayDelegate };
  });
  const boss = scriptedAgent(provider.url, 'boss', {
    agentAllowlist: WAYS.map(nameOf),
    toolAllowlist: ['agents_message'],
  });
  const allowHosts = [...servers.values()].map(({ host }) => host);
  parley = await Parley.start({ config: { agents: [...agents, boss], tools: { fetch: { allowHosts } } } });
  for (const { agentId } of agents) {
    const { hash } = await parley.ok<RemoteCard>('GET', `/api/agent-cards/${agentId}`);
    await parley.ok('POST', `/api/agent-cards/${agentId}`, { hash });
  }
});

afterAll(async () => {
  await parley.close();
  await provider.close();
  for (const server of servers.values()) server.close();
});

function nameOf(way: string): string {
  return way.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
}

function settled(turnId: string): Promise<Turn> {
  return until(
    () => parley.turn(turnId),
    ({ endedAt }) => endedAt !== null,
    15_000,
  );
}

describe.each(WAYS)('an agent on the official server, over %s', (way) => {
  const agentId = nameOf(way);
  const executor = () => servers.get(way)!.executor;

  it('answers, and is asked again in the same context', async () => {
    const { id: sessionId } = await parley.createSession({ agentId });
    const { answer } = await parley.say(sessionId, { content: 'Hello.' });
    expect(answer!.text).toBe('Hello.');
    const { contextId } = executor().messages.at(-1)!;
    await parley.say(sessionId, { content: 'Again.' });
    expect([executor().messages.at(-1)!.contextId, contextId]).toEqual([contextId, expect.stringMatching(/./)]);
  });

  it.each([
    ['auth', /Sign in/],
    ['ask', /Sign in/],
  ])('that wants an answer first (%s) gets it from the person, in the same task', async (command, words) => {
    const { id: sessionId } = await parley.createSession({ agentId });
    const { turn } = await parley.send(sessionId, { content: `${command} Sign in at example.com, please.` });
    const { actions } = await until(
      () => parley.ok<ActionList>('GET', `/api/actions?session=${sessionId}`),
      (list) => list.actions.length === 1,
    );
    expect(actions[0]!.question!.question).toMatch(words);
    expect((await parley.session(sessionId)).status).toBe('waiting');
    await parley.ok('POST', `/api/actions/${actions[0]!.id}/answer`, { decision: 'answer', text: 'Done so.' });
    expect((await settled(turn.id)).state).toBe('complete');
    expect((await parley.messages(sessionId)).at(-1)!.text).toBe('Answered: Done so.');
  });

  it('is told of other agents, and not of tools that it cannot call', async () => {
    const { id: sessionId } = await parley.createSession({ agentId });
    await parley.say(sessionId, { content: 'Hello.' });
    scripted.answers('boss', 'I am here.');
    await parley.say(sessionId, { content: 'And you?', guest: 'boss' });
    await parley.say(sessionId, { content: 'Again.' });
    const said = JSON.stringify(executor().messages.at(-1)!.parts);
    expect([said.includes('- boss: '), said.includes('agents_message')]).toEqual([true, false]);
  });

  it('gives a file, and is shown an image', async () => {
    const { id: sessionId } = await parley.createSession({ agentId });
    const { answer } = await parley.say(sessionId, { content: 'file Some words.' });
    expect(answer!.parts.find(({ type }) => type === 'file')).toMatchObject({ kind: 'text', bytes: 11 });
    const image = await upload('dot.png', PNG);
    await parley.say(sessionId, { content: 'Look.', files: [image.id] });
    const [shown] = executor()
      .messages.at(-1)!
      .parts.filter(({ content }) => content?.$case === 'raw');
    expect([shown!.mediaType, Buffer.from(shown!.content!.value as Buffer).equals(PNG)]).toEqual(['image/png', true]);
  });

  it('is sent data, and files of the types that its card names; of others it is told the name', async () => {
    const { id: sessionId } = await parley.createSession({ agentId });
    const files = await Promise.all([
      upload('order.json', Buffer.from('{"city":"Oslo","count":2}'), 'application/json'),
      upload('list.json', Buffer.from('[1,2]'), 'application/json'),
      upload('form.pdf', PDF, 'application/pdf'),
      upload('all.zip', PDF, 'application/zip'),
      upload('note.txt', Buffer.from('Some words.'), 'text/plain'),
    ]);
    await parley.say(sessionId, { content: 'Look.', files: files.map(({ id }) => id) });
    const { parts } = executor().messages.at(-1)!;
    const sent = parts.flatMap(({ content }) => {
      if (content?.$case === 'raw') return [Buffer.from(content.value).toString('latin1')];
      return content?.$case === 'data' ? [content.value] : [];
    });
    expect(sent).toEqual([{ city: 'Oslo', count: 2 }, '[1,2]', PDF.toString('latin1')]);
    const said = parts.flatMap(({ content }) => (content?.$case === 'text' ? [content.value] : [])).join('\n');
    expect(said).toContain('[Attached file: form.pdf (application/pdf, 8 bytes)]');
    expect(said).toMatch(/all\.zip .* not shown to you/);
    expect(said).toMatch(/<file name="note\.txt"[^>]*>\nSome words\./);
    expect(said).not.toContain('Oslo');
  });

  it('is stopped where it works', async () => {
    const { id: sessionId } = await parley.createSession({ agentId });
    const { turn } = await parley.send(sessionId, { content: 'hang' });
    await until(
      async () => executor().messages.length,
      (length) => length > 0,
    );
    await until(
      () => parley.ok<{ partials: { status?: string }[] }>('GET', `/api/sessions/${sessionId}/snapshot`),
      (snapshot) => JSON.stringify(snapshot).includes('On it.'),
    );
    await parley.ok('POST', `/api/turns/${turn.id}/cancellation`);
    expect((await settled(turn.id)).state).toBe('cancelled');
    await until(
      async () => executor().cancelled.length,
      (length) => length === 1,
    );
  });

  it.each([
    ['failed', 4, 'failed'],
    ['rejected', 7, 'failed'],
    ['canceled', 5, 'cancelled'],
  ])('that ends as %s has a turn that says so', async (_, state, expected) => {
    const { id: sessionId } = await parley.createSession({ agentId });
    const { turn } = await parley.send(sessionId, { content: `end ${state}` });
    expect((await settled(turn.id)).state).toBe(expected);
  });

  it('does what another agent asks of it', async () => {
    const { id: sessionId } = await parley.createSession({ agentId: 'boss' });
    scripted.answers('boss', [ask(agentId, 'Count to three.')], (request) => `It said: ${resultsIn(request).join()}`);
    const { answer } = await parley.say(sessionId, { content: 'go' });
    expect(answer!.text).toContain('Count to three.');
  });

  it('asks another agent with a tag, and goes on with the answer', async () => {
    const { id: sessionId } = await parley.createSession({ agentId });
    scripted.answers('boss', 'Three.');
    const { turn } = await parley.send(sessionId, { content: 'delegate boss Count.' });
    expect((await settled(turn.id)).state).toBe('complete');
    const said = (await parley.messages(sessionId)).map(({ role, agent, text }) => `${agent ?? role}: ${text}`);
    expect(said).toContain('boss: Three.');
    expect(said.at(-1)).toMatch(new RegExp(`^${agentId}: `));
  });
});

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

const PDF = Buffer.from('%PDF-1\0\xff', 'latin1');

async function upload(name: string, content: Buffer, type = 'image/png'): Promise<FileInfo> {
  const response = await fetch(`${parley.url}/api/files?name=${name}`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${parley.token}`, 'Content-Type': type },
    body: new Uint8Array(content),
  });
  return (await response.json()) as FileInfo;
}
