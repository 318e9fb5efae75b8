import type { Task } from '@a2a-js/sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RemoteCard } from '../../contract/agents.ts';
import { A2aPeer } from '../harness/a2a/peer.ts';
import { Parley } from '../harness/parley.ts';
import { connectTo, fetchWithToken, gather, message, WAYS } from './a2a-client.ts';

let peer: A2aPeer;
let parley: Parley;

beforeAll(async () => {
  peer = await A2aPeer.start('1.0');
  // An agent that gives files, because the agent that it stands for does.
  const far = { agentId: 'far', type: 'a2a', a2a: { url: peer.url }, apiExposed: true };
  parley = await Parley.start({ config: { agents: [far], tools: { fetch: { allowHosts: [peer.host] } } } });
  const { hash } = await parley.ok<RemoteCard>('GET', '/api/agent-cards/far');
  await parley.ok('POST', '/api/agent-cards/far', { hash });
});

afterAll(async () => {
  await parley.close();
  await peer.close();
});

type Part = Task['artifacts'][number]['parts'][number];

function file(words: string): Part {
  const content = { $case: 'raw' as const, value: Buffer.from(words) };
  return { content, metadata: undefined, filename: 'note.txt', mediaType: 'text/plain' };
}

function data(value: object): Part {
  return { content: { $case: 'data', value }, metadata: undefined, filename: '', mediaType: '' };
}

function bytesIn(parts: readonly Part[]): string[] {
  return parts.flatMap(({ content }) => (content?.$case === 'raw' ? Buffer.from(content.value).toString() : []));
}

describe.each(WAYS)('over %s', (way) => {
  it('files and data come in with a message', async () => {
    const client = await connectTo(parley, way, 'far');
    const { message: sent } = message('say Read.');
    const parts = [...sent.parts, file('The words in it.'), data({ colour: 'red' })];
    const { contextId } = (await client.sendMessage(message('', { parts }))) as Task;
    const [asked] = await parley.messages(contextId);
    expect(asked!.parts.find(({ type }) => type === 'file')).toMatchObject({ mediaType: 'text/plain', kind: 'text' });
    expect(asked!.text).toContain('"colour": "red"');
    // The agent that answers is shown what is in it.
    expect(peer.messages.at(-1)!.parts.join('\n')).toContain('The words in it.');
  });

  it('the files of an answer are artifacts of its task', async () => {
    const client = await connectTo(parley, way, 'far');
    const task = (await client.sendMessage(message('say Here:\nfile Some words.'))) as Task;
    expect(bytesIn(task.artifacts.flatMap(({ parts }) => parts))).toEqual(['Some words.']);
    const streamed = await gather(client.sendMessageStream(message('say Here:\nfile Other words.')));
    const parts = streamed.flatMap(({ payload }) =>
      payload?.$case === 'artifactUpdate' ? payload.value.artifact!.parts : [],
    );
    expect(bytesIn(parts)).toEqual(['Other words.']);
  });
});

it('a message with files that is sent twice is answered once', async () => {
  const client = await connectTo(parley, 'JSONRPC 1.0', 'far');
  const { message: sent } = message('say Once.');
  const twice = message('', { parts: [...sent.parts, file('The same.')] });
  const [first, second] = await Promise.all([0, 0].map(async () => (await client.sendMessage(twice)) as Task));
  const third = (await client.sendMessage(twice)) as Task;
  expect([second!.id, third.id]).toEqual([first!.id, first!.id]);
});

it('a listed task gives its files as addresses, which need the credential', async () => {
  const client = await connectTo(parley, 'JSONRPC 1.0', 'far');
  const { contextId } = (await client.sendMessage(message('file Listed.'))) as Task;
  const page = { tenant: '', contextId, status: 0, pageToken: '', statusTimestampAfter: undefined };
  const { tasks } = await client.listTasks({ ...page, includeArtifacts: true });
  const [part] = tasks[0]!.artifacts.flatMap(({ parts }) => parts).filter(({ content }) => content?.$case === 'url');
  const url = String(part!.content!.value);
  expect((await fetch(url)).status).toBe(401);
  expect(await (await fetchWithToken(parley)(url)).text()).toBe('Listed.');
});

it('an empty message, and a file as an answer, are refused', async () => {
  const client = await connectTo(parley, 'JSONRPC 1.0', 'far');
  await expect(client.sendMessage(message('', { parts: [] }))).rejects.toThrow(/empty/);
  const { id: taskId, contextId } = (await client.sendMessage(message('ask Which?'))) as Task;
  const answer = message('', { taskId, contextId, parts: [file('red')] });
  await expect(client.sendMessage(answer)).rejects.toThrow(/files/);
});
