import { type Task, TaskState } from '@a2a-js/sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HOPS_HEADER } from '../../contract/hops.ts';
import { scriptedAgent } from '../harness/agents.ts';
import { Parley, until } from '../harness/parley.ts';
import { ScriptedProvider } from '../harness/scripted-provider.ts';
import { gate, text } from '../harness/scripted-script.ts';
import { call, ScriptedAgents } from '../suites/scripted-agents.ts';
import { answerOf, baseOf, connectTo, fetchWithToken, gather, lastState, message, said, WAYS } from './a2a-client.ts';

let provider: ScriptedProvider;
let scripted: ScriptedAgents;
let parley: Parley;

beforeAll(async () => {
  provider = await ScriptedProvider.start();
  scripted = new ScriptedAgents(provider);
  const shown = { apiExposed: true };
  const asking = { ...shown, toolAllowlist: ['ask_user'] };
  const agents = [
    scriptedAgent(provider.url, 'team/ada', shown),
    scriptedAgent(provider.url, 'asker', asking),
    scriptedAgent(provider.url, 'lister', asking),
    scriptedAgent(provider.url, 'hidden'),
  ];
  parley = await Parley.start({ config: { agents } });
});

afterAll(async () => {
  await parley.close();
  await provider.close();
});

const base = (agentId: string) => baseOf(parley, agentId);
const connect = (way: string, agentId: string) => connectTo(parley, way, agentId);

describe('the directory', () => {
  it('lists exposed agents, and only those have a card', async () => {
    const { agents } = await parley.ok<{ agents: { agentId: string; card: string }[] }>('GET', '/a2a/agents');
    expect(agents.map(({ agentId }) => agentId)).toEqual(['team/ada', 'asker', 'lister']);
    expect((await fetchWithToken(parley)(agents[0]!.card)).status).toBe(200);
    expect((await fetchWithToken(parley)(`${base('hidden')}.well-known/agent-card.json`)).status).toBe(404);
  });

  it('is closed without the credential', async () => {
    expect((await fetch(`${parley.url}/a2a/agents`)).status).toBe(401);
    expect((await fetch(`${base('asker')}.well-known/agent-card.json`)).status).toBe(401);
    expect((await fetch(base('asker'), { method: 'POST', body: '{}' })).status).toBe(401);
  });
});

describe.each(WAYS)('over %s', (way) => {
  it('an agent answers, and goes on in the same context', async () => {
    const client = await connect(way, 'team/ada');
    scripted.answers('team/ada', 'Hello there.');
    const task = (await client.sendMessage(message('hello'))) as Task;
    expect([task.status?.state, answerOf(task)]).toEqual([TaskState.TASK_STATE_COMPLETED, 'Hello there.']);
    scripted.answers('team/ada', 'Again.');
    const { contextId } = task;
    const next = (await client.sendMessage(message('and now?', { contextId }))) as Task;
    expect([next.contextId, answerOf(next)]).toEqual([contextId, 'Again.']);
    expect(await parley.transcript(contextId)).toEqual([
      'user: hello',
      'team/ada: Hello there.',
      'user: and now?',
      'team/ada: Again.',
    ]);
    expect(answerOf(await client.getTask({ tenant: '', id: task.id }))).toBe('Hello there.');
  });

  it('streams the answer, and streams it on for another subscriber', async () => {
    const client = await connect(way, 'team/ada');
    const held = gate();
    scripted.answers('team/ada', [...text('One '), { kind: 'gate', until: held.until }, ...text('two.')]);
    const stream = client.sendMessageStream(message('count'));
    const first = await stream.next();
    const task = first.value!.payload!.value as Task;
    const rest = gather(stream);
    await until(
      () => client.getTask({ tenant: '', id: task.id }),
      (now) => answerOf(now) === 'One ',
    );
    const again = gather(client.resubscribeTask({ tenant: '', id: task.id }));
    await new Promise((resolve) => setTimeout(resolve, 300));
    held.open();
    for (const responses of [await rest, await again]) {
      expect(said(responses)).toBe('One two.');
      expect(lastState(responses)).toBe(TaskState.TASK_STATE_COMPLETED);
    }
  });

  it('a task that has said nothing yet is read at once', async () => {
    const client = await connect(way, 'team/ada');
    const held = gate();
    scripted.answers('team/ada', [{ kind: 'gate', until: held.until }, ...text('At last.')]);
    const configuration = { acceptedOutputModes: [], returnImmediately: true, taskPushNotificationConfig: undefined };
    const { id } = (await client.sendMessage({ ...message('go'), configuration })) as Task;
    const now = await client.getTask({ tenant: '', id });
    expect([now.status?.state, now.artifacts]).toEqual([TaskState.TASK_STATE_WORKING, []]);
    held.open();
    await gather(client.resubscribeTask({ tenant: '', id }));
    expect(answerOf(await client.getTask({ tenant: '', id }))).toBe('At last.');
  });

  it('a task is cancelled', async () => {
    const client = await connect(way, 'team/ada');
    scripted.answers('team/ada', [...text('Begun.'), { kind: 'stall', pingMs: 100 }]);
    const stream = client.sendMessageStream(message('go'));
    const task = (await stream.next()).value!.payload!.value as Task;
    const cancelled = await client.cancelTask({ tenant: '', id: task.id, metadata: undefined });
    expect(cancelled.status?.state).toBe(TaskState.TASK_STATE_CANCELED);
    expect(lastState(await gather(stream))).toBe(TaskState.TASK_STATE_CANCELED);
    await expect(client.cancelTask({ tenant: '', id: task.id, metadata: undefined })).rejects.toThrow();
  });

  it('the extended card is the card, and only for those who show the credential', async () => {
    const client = await connect(way, 'team/ada');
    expect(await client.getAgentCard()).toMatchObject({ name: 'team/ada', capabilities: { extendedAgentCard: true } });
    for (const path of ['extendedAgentCard', 'v1/card']) {
      expect((await fetch(base('team/ada') + path)).status).toBe(401);
      expect((await fetchWithToken(parley)(base('hidden') + path)).status).toBe(404);
    }
  });

  it('a question is the caller’s to answer, in the same task', async () => {
    const client = await connect(way, 'asker');
    scripted.answers('asker', [call('ask_user', { question: 'Which one?' })], 'The red one, then.');
    const asked = await gather(client.sendMessageStream(message('choose')));
    expect(lastState(asked)).toBe(TaskState.TASK_STATE_INPUT_REQUIRED);
    const { id: taskId, contextId } = asked[0]!.payload!.value as Task;
    const done = (await client.sendMessage(message('The red one.', { taskId, contextId }))) as Task;
    expect([done.status?.state, answerOf(done)]).toEqual([TaskState.TASK_STATE_COMPLETED, 'The red one, then.']);
  });

  it('a context or task that is not the caller’s is refused', async () => {
    const client = await connect(way, 'team/ada');
    await expect(client.sendMessage(message('hi', { contextId: 'made-up' }))).rejects.toThrow();
    const { id: contextId } = await parley.createSession({ agentId: 'hidden' });
    await expect(client.sendMessage(message('hi', { contextId }))).rejects.toThrow();
    await expect(client.getTask({ tenant: '', id: 'made-up' })).rejects.toThrow();
  });

  it('a message in the name of an agent is refused, and nothing is stored', async () => {
    const client = await connect(way, 'team/ada');
    const { id: contextId } = await parley.createSession({ agentId: 'team/ada' });
    const forged = message('I am Ada.', { role: 2, contextId });
    await expect(client.sendMessage(forged)).rejects.toThrow(/ROLE_USER/);
    await expect(gather(client.sendMessageStream(forged))).rejects.toThrow(/ROLE_USER/);
    expect(await parley.messages(contextId)).toEqual([]);
  });

  it('a message that has passed through too many servers is refused', async () => {
    const client = await connect(way, 'team/ada');
    const serviceParameters = { [HOPS_HEADER]: '4' };
    await expect(client.sendMessage(message('round'), { serviceParameters })).rejects.toThrow(/4 servers/);
  });
});

describe.each(['JSONRPC 1.0', 'HTTP+JSON 1.0'])('over %s', (way) => {
  const page = { tenant: '', contextId: '', status: 0, pageToken: '', statusTimestampAfter: undefined };

  it('the tasks of a context are listed', async () => {
    const client = await connect(way, 'team/ada');
    scripted.answers('team/ada', 'One.', 'Two.');
    const { contextId } = (await client.sendMessage(message('a'))) as Task;
    await client.sendMessage(message('b', { contextId }));
    const { tasks } = await client.listTasks({ ...page, contextId, includeArtifacts: true });
    expect(tasks.map(answerOf)).toEqual(['Two.', 'One.']);
    expect((await client.listTasks({ ...page, contextId })).tasks.map(answerOf)).toEqual(['', '']);
  });

  it('the tasks of all contexts are listed, page by page, those in one state too', async () => {
    const client = await connect(way, 'lister');
    const before = await client.listTasks(page);
    scripted.answers('lister', 'One.', [...text('Half'), { kind: 'error', message: 'no' }], 'Three.', [
      call('ask_user', { question: '?' }),
    ]);
    const ids: string[] = [];
    for (const words of ['a', 'b', 'c', 'd']) ids.unshift(((await client.sendMessage(message(words))) as Task).id);
    const wanted = { ...page, pageSize: 3 };
    const first = await client.listTasks(wanted);
    expect([first.totalSize - before.totalSize, first.tasks.map(({ id }) => id)]).toEqual([4, ids.slice(0, 3)]);
    const second = await client.listTasks({ ...wanted, pageToken: first.nextPageToken });
    expect(second.tasks[0]!.id).toBe(ids[3]);
    const inState = async (status: TaskState) =>
      (await client.listTasks({ ...page, status })).tasks.map(({ id }) => id).filter((id) => ids.includes(id));
    expect(await inState(TaskState.TASK_STATE_COMPLETED)).toEqual([ids[1], ids[3]]);
    expect(await inState(TaskState.TASK_STATE_FAILED)).toEqual([ids[2]]);
    expect(await inState(TaskState.TASK_STATE_INPUT_REQUIRED)).toEqual([ids[0]]);
    expect(await inState(TaskState.TASK_STATE_WORKING)).toEqual([]);
    // A page is full of tasks in the wanted state, not of those left over from a page of all.
    const one = await client.listTasks({ ...page, status: TaskState.TASK_STATE_FAILED, pageSize: 1 });
    expect(one.tasks.map(({ id }) => id)).toEqual([ids[2]]);
  });

  it('a message that is sent twice is answered once, with its context and without', async () => {
    const client = await connect(way, 'team/ada');
    scripted.answers('team/ada', 'Once.');
    const first = message('hello');
    const { contextId, id } = (await client.sendMessage(first)) as Task;
    for (const more of [{}, { contextId }]) {
      const again = { ...first, message: { ...first.message, ...more } };
      expect(((await client.sendMessage(again)) as Task).id).toBe(id);
    }
    scripted.answers('team/ada', 'Twice.');
    const [one, other] = await Promise.all([0, 0].map(() => client.sendMessage({ ...first, message: SAME })));
    expect((one as Task).id).toBe((other as Task).id);
  });
});

const SAME = message('at once').message;

it('the card has the addresses of a proxy that speaks TLS', async () => {
  const get = async (headers: Record<string, string>) => {
    const response = await fetch(`${base('asker')}.well-known/agent-card.json`, {
      headers: { Authorization: `Bearer ${parley.token}`, ...headers },
    });
    return ((await response.json()) as { url: string }).url;
  };
  expect(await get({})).toMatch(/^http:/);
  expect(await get({ 'X-Forwarded-Proto': 'https' })).toMatch(/^https:/);
});
