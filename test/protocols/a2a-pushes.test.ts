import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Task, TaskPushNotificationConfig } from '@a2a-js/sdk';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { scriptedAgent } from '../harness/agents.ts';
import { Parley, until } from '../harness/parley.ts';
import { ScriptedProvider } from '../harness/scripted-provider.ts';
import { gate, text } from '../harness/scripted-script.ts';
import { call, ScriptedAgents } from '../suites/scripted-agents.ts';
import { connectTo, gather, message, WAYS } from './a2a-client.ts';

interface Pushed {
  headers: IncomingHttpHeaders;
  body: Record<string, never>;
}

/** Somewhere that wants to be told. */
class Receiver {
  readonly pushed: Pushed[] = [];
  /** What it answers, one after the other; then 200. */
  statuses: number[] = [];
  readonly #server: Server;

  constructor() {
    this.#server = createServer(async (request, response) => {
      const body = Buffer.concat(await request.toArray()).toString();
      this.pushed.push({ headers: request.headers, body: JSON.parse(body) });
      response.writeHead(this.statuses.shift() ?? 200).end();
    });
  }

  async listen(): Promise<void> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
  }

  get host(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.#server.close();
  }

  states(): string[] {
    return this.pushed.map(({ body }) => stateIn(body)).filter((state, index, all) => state !== all[index - 1]);
  }

  until(state: string): Promise<string[]> {
    return until(
      async () => this.states(),
      (states) => states.at(-1) === state,
    );
  }
}

function stateIn(body: { task?: { status: { state: string } }; status?: { state: string } }): string {
  return (body.task?.status.state ?? body.status?.state ?? '')
    .toLowerCase()
    .replace('task_state_', '')
    .replace('_', '-');
}

let provider: ScriptedProvider;
let scripted: ScriptedAgents;
let parley: Parley;
const receiver = new Receiver();

beforeAll(async () => {
  await receiver.listen();
  provider = await ScriptedProvider.start();
  scripted = new ScriptedAgents(provider);
  const agents = [
    scriptedAgent(provider.url, 'ada', { apiExposed: true, toolAllowlist: ['ask_user'] }),
    scriptedAgent(provider.url, 'bob', { apiExposed: true }),
  ];
  parley = await Parley.start({ config: { agents, tools: { fetch: { allowHosts: [receiver.host] } } } });
});

afterAll(async () => {
  await parley.close();
  await provider.close();
  receiver.close();
});

beforeEach(() => {
  receiver.pushed.splice(0);
  receiver.statuses = [];
});

function config(more: Partial<TaskPushNotificationConfig> = {}): TaskPushNotificationConfig {
  const url = `http://${receiver.host}/hook`;
  const authentication = { scheme: 'Bearer', credentials: 'their-secret' };
  return { tenant: '', id: 'one', taskId: '', url, token: 'a-token', authentication, ...more };
}

function withPush(words: string, more: Partial<TaskPushNotificationConfig> = {}) {
  const configuration = {
    acceptedOutputModes: [],
    returnImmediately: true,
    taskPushNotificationConfig: config(more),
  };
  return { ...message(words), configuration };
}

function rows(): unknown[] {
  const db = new DatabaseSync(path.join(parley.home, 'parley.db'), { readOnly: true });
  return db.prepare('SELECT * FROM push_configs').all();
}

describe.each(WAYS)('over %s', (way) => {
  it('an address that comes with a message is told how the task stands, until it is over', async () => {
    const client = await connectTo(parley, way, 'ada');
    const held = gate();
    scripted.answers('ada', [...text('One '), { kind: 'gate', until: held.until }, ...text('two.')]);
    const { id } = (await client.sendMessage(withPush('count'))) as Task;
    await receiver.until('working');
    held.open();
    await receiver.until('completed');
    const { headers, body } = receiver.pushed.at(-1)!;
    expect(headers).toMatchObject({ 'x-a2a-notification-token': 'a-token', authorization: 'Bearer their-secret' });
    const isLegacy = way.endsWith('0.3');
    expect(headers['content-type']).toBe(isLegacy ? 'application/json' : 'application/a2a+json');
    const task: { id?: string } = isLegacy ? body : (body.task ?? {});
    expect([task.id, JSON.stringify(task)]).toEqual([id, expect.stringContaining('One two.')]);
  });

  it('an address is set, read, listed and deleted', async () => {
    const client = await connectTo(parley, way, 'ada');
    const held = gate();
    scripted.answers('ada', [{ kind: 'gate', until: held.until }, ...text('Done.')]);
    const { id: taskId } = (await client.sendMessage({ ...message('go'), ...immediately })) as Task;
    const wanted = { tenant: '', taskId, id: 'one' };
    await client.createTaskPushNotificationConfig(config({ taskId }));
    await client.createTaskPushNotificationConfig(config({ taskId, id: 'two', token: '', authentication: undefined }));
    expect(await client.getTaskPushNotificationConfig(wanted)).toEqual(config({ taskId }));
    const listed = await client.listTaskPushNotificationConfig({ ...wanted, pageSize: 0, pageToken: '' });
    expect(listed.configs.map(({ id }) => id)).toEqual(['one', 'two']);
    await receiver.until('working');
    await client.deleteTaskPushNotificationConfig(wanted);
    await expect(client.getTaskPushNotificationConfig(wanted)).rejects.toThrow();
    receiver.pushed.splice(0);
    held.open();
    await receiver.until('completed');
    expect(receiver.pushed.map(({ headers }) => headers['x-a2a-notification-token'])).toEqual([undefined]);
  });

  it('an address that may not be reached is refused, and nothing is sent to the agent', async () => {
    const client = await connectTo(parley, way, 'ada');
    const asked = provider.requests.length;
    for (const url of ['http://169.254.169.254/latest', 'http://127.0.0.1:1/', 'file:///etc/passwd', 'no address'])
      await expect(client.sendMessage(withPush('go', { url }))).rejects.toThrow(/Push notification/);
    await expect(client.sendMessage(withPush('go', { token: 'two\r\nlines' }))).rejects.toThrow(/printable/);
    expect(provider.requests.length).toBe(asked);
  });
});

const immediately = {
  configuration: { acceptedOutputModes: [], returnImmediately: true, taskPushNotificationConfig: undefined },
};

it('a question is told, and the same state only once', async () => {
  const client = await connectTo(parley, 'JSONRPC 1.0', 'ada');
  scripted.answers('ada', [call('ask_user', { question: 'Which one?' })], 'The red one.');
  const { id: taskId, contextId } = (await client.sendMessage(withPush('choose'))) as Task;
  await receiver.until('input-required');
  await client.sendMessage(message('red', { taskId, contextId }));
  await receiver.until('completed');
  const states = receiver.pushed.map(({ body }) => stateIn(body));
  expect(states.filter((state) => state === 'input-required')).toHaveLength(1);
  expect(states.filter((state) => state === 'completed')).toHaveLength(1);
});

it('a stream begins notifications too', async () => {
  const client = await connectTo(parley, 'JSONRPC 1.0', 'ada');
  scripted.answers('ada', 'Streamed.');
  await gather(client.sendMessageStream(withPush('go')));
  await receiver.until('completed');
});

it('an address that fails is tried again, and one that refuses is not', async () => {
  const client = await connectTo(parley, 'JSONRPC 1.0', 'ada');
  scripted.answers('ada', 'Done.', 'Done.');
  await client.sendMessage({
    ...withPush('go'),
    configuration: { ...withPush('').configuration, returnImmediately: false },
  });
  await receiver.until('completed');
  receiver.pushed.splice(0);
  receiver.statuses = [503, 503];
  await client.sendMessage(withPush('go'));
  await until(
    async () => receiver.pushed.length,
    (length) => length >= 3,
    10_000,
  );
  await receiver.until('completed');
  receiver.pushed.splice(0);
  receiver.statuses = [410, 410, 410, 410];
  scripted.answers('ada', 'Done.');
  const { id } = (await client.sendMessage(withPush('go'))) as Task;
  await until(
    async () => (rows() as { turn_id: string; told: string | null }[]).find(({ turn_id }) => turn_id === id)!.told,
    (told) => told === null,
  );
  const ends = receiver.pushed.map(({ body }) => stateIn(body)).filter((state) => state === 'completed');
  expect(ends).toHaveLength(1);
});

it('a task has at most ten addresses', async () => {
  const client = await connectTo(parley, 'JSONRPC 1.0', 'ada');
  scripted.answers('ada', 'Done.');
  const { id: taskId } = (await client.sendMessage(message('go'))) as Task;
  for (let count = 0; count < 10; count++)
    await client.createTaskPushNotificationConfig(config({ taskId, id: `c${count}` }));
  await client.createTaskPushNotificationConfig(config({ taskId, id: 'c1' }));
  await expect(client.createTaskPushNotificationConfig(config({ taskId, id: 'c10' }))).rejects.toThrow(/too many/);
});

it('another agent’s tasks have no addresses', async () => {
  const client = await connectTo(parley, 'JSONRPC 1.0', 'ada');
  scripted.answers('ada', 'Done.');
  const { id: taskId } = (await client.sendMessage(message('go'))) as Task;
  const other = await connectTo(parley, 'JSONRPC 1.0', 'bob');
  await expect(other.createTaskPushNotificationConfig(config({ taskId }))).rejects.toThrow();
});

it('what a killed server did not tell is told by the next one, and goes with its session', async () => {
  const client = await connectTo(parley, 'JSONRPC 1.0', 'ada');
  scripted.answers('ada', [...text('Begun.'), { kind: 'stall', pingMs: 100 }]);
  const { contextId } = (await client.sendMessage(withPush('go'))) as Task;
  await receiver.until('working');
  await parley.kill();
  await parley.restart();
  await receiver.until('failed');
  const own = () => (rows() as { session_id: string }[]).filter(({ session_id }) => session_id === contextId);
  expect(own()).toHaveLength(1);
  await parley.ok('DELETE', `/api/sessions/${contextId}`);
  expect(own()).toEqual([]);
});
