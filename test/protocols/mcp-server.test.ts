import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { Session } from '../../contract/sessions.ts';
import { scriptedAgent } from '../harness/agents.ts';
import { Parley } from '../harness/parley.ts';
import { PROGRAM } from '../harness/program.ts';
import { ScriptedProvider } from '../harness/scripted-provider.ts';

let provider: ScriptedProvider;
let parley: Parley;

beforeAll(async () => {
  provider = await ScriptedProvider.start();
  const agents = [
    scriptedAgent(provider.url, 'wisp/concierge', { apiExposed: true }),
    scriptedAgent(provider.url, 'wisp/hidden'),
  ];
  parley = await Parley.start({ config: { agents } });
});

afterAll(async () => {
  await parley.close();
  await provider.close();
});

type Era = 'legacy' | 'auto';

async function overHttp(mode: Era, headers: Record<string, string> = {}): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
  const requestInit = { headers: { Authorization: `Bearer ${parley.token}`, ...headers } };
  await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', parley.url), { requestInit }));
  onTestFinished(() => client.close());
  return client;
}

async function overStdio(): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' });
  const env = { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', PARLEY_HOME: parley.home };
  const transport = new StdioClientTransport({ command: process.execPath, args: [PROGRAM, 'mcp', 'serve'], env });
  await client.connect(transport);
  onTestFinished(() => client.close());
  return client;
}

interface Facts {
  agents?: { agent: string }[];
  session?: string;
  turn?: string;
  state?: string;
  answer?: string | null;
  cancelled?: string[];
  messages?: { speaker: string; text: string }[];
  hits?: { session: string }[];
}

async function call(client: Client, name: string, input: Record<string, unknown> = {}) {
  const { structuredContent, isError, content } = await client.callTool({ name, arguments: input });
  const [{ text = '' } = {}] = content as { text?: string }[];
  return { facts: (structuredContent ?? {}) as Facts, isError: isError ?? false, text };
}

const WAYS: [string, () => Promise<Client>][] = [
  ['over HTTP in the older era', () => overHttp('legacy')],
  ['over HTTP in the newer era', () => overHttp('auto')],
  ['over stdio', overStdio],
];

describe.each(WAYS)('%s', (_, open) => {
  test('agents are listed, messaged in one session, and their sessions read and searched', async () => {
    const client = await open();
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name).sort()).toEqual([
      'cancel_turn',
      'list_agents',
      'message_agent',
      'read_session',
      'read_turn',
      'search_sessions',
    ]);
    const listed = await call(client, 'list_agents');
    expect(listed.facts.agents).toMatchObject([{ agent: 'wisp/concierge', available: true }]);

    const first = await call(client, 'message_agent', { agent: 'wisp/concierge', message: 'a lighthouse, please' });
    expect(first.facts).toMatchObject({ state: 'complete', answer: 'You said: a lighthouse, please' });
    const { session } = first.facts;
    await call(client, 'message_agent', { agent: 'wisp/concierge', message: 'and a harbour', session });
    const read = await call(client, 'read_session', { session });
    expect(read.facts.messages?.map(({ speaker, text }) => `${speaker}: ${text}`)).toEqual([
      'User: a lighthouse, please',
      'wisp/concierge: You said: a lighthouse, please',
      'User: and a harbour',
      'wisp/concierge: You said: and a harbour',
    ]);
    const found = await call(client, 'search_sessions', { query: 'harbour' });
    expect(found.facts.hits?.map((hit) => hit.session)).toContain(session);

    const { resources } = await client.listResources();
    expect(resources.map(({ uri }) => uri)).toEqual(
      expect.arrayContaining(['parley://agents', `parley://sessions/${session}`]),
    );
    const { contents } = await client.readResource({ uri: `parley://sessions/${session}` });
    expect(contents[0]).toMatchObject({ mimeType: 'text/markdown', text: expect.stringContaining('and a harbour') });
    const json = await client.readResource({ uri: `parley://sessions/${session}/json` });
    expect(JSON.parse((json.contents[0] as { text: string }).text)).toMatchObject({ format: 'parley.session' });
  });

  test('a resource that is not there is named as missing', async () => {
    const client = await open();
    for (const id of ['nothing', '..', '%00', 'a b'])
      await expect(client.readResource({ uri: `parley://sessions/${id}` })).rejects.toThrow(
        /There is no session at parley:|not found/i,
      );
    await expect(client.readResource({ uri: 'parley://sessions/a%20b' })).rejects.not.toThrow(/invalid_|\[|pattern/);
  });

  test('a refusal is a result that says why', async () => {
    const client = await open();
    const hidden = await call(client, 'message_agent', { agent: 'wisp/hidden', message: 'hello' });
    expect(hidden).toMatchObject({ isError: true, text: 'Agent not found: wisp/hidden. (agent_not_found)' });
    const nowhere = await call(client, 'read_session', { session: 'nothing' });
    expect(nowhere).toMatchObject({ isError: true, text: expect.stringContaining('session_not_found') });
    const failed = await call(client, 'message_agent', { agent: 'wisp/concierge', message: '[[fail=400]]' });
    expect(failed).toMatchObject({ isError: true, facts: { state: 'failed' } });
  });
});

test('what agents do that are not exposed is neither continued, read as a turn, nor stopped', async () => {
  const client = await overHttp('legacy');
  const { id: session } = await parley.createSession({ agentId: 'wisp/hidden' });
  const { turn } = await parley.send(session, { content: '[[chunks=2 hold]]' });
  const wanted = { agent: 'wisp/concierge', message: 'And then?', session };
  const refused = { isError: true, text: expect.stringContaining('agent_not_exposed') };
  expect(await call(client, 'message_agent', wanted)).toMatchObject(refused);
  for (const name of ['read_turn', 'cancel_turn'])
    expect(await call(client, name, { turn: turn.id })).toMatchObject({
      isError: true,
      text: expect.stringContaining('turn_not_found'),
    });
  expect((await parley.turn(turn.id)).state).toBe('running');
  await provider.release();
});

test('a message without waiting is read later, and can be stopped', async () => {
  const client = await overHttp('legacy');
  const begun = await call(client, 'message_agent', {
    agent: 'wisp/concierge',
    message: '[[chunks=2 hold]]',
    wait: false,
  });
  expect(['running', 'queued']).toContain(begun.facts.state);
  const { turn } = begun.facts;
  expect((await call(client, 'cancel_turn', { turn })).facts.cancelled).toEqual([turn]);
  await expect.poll(async () => (await call(client, 'read_turn', { turn })).facts.state).toBe('cancelled');
  await provider.release();
});

test('while an agent works, the client is told of progress', async () => {
  const client = await overHttp('legacy');
  const told: unknown[] = [];
  const wanted = { agent: 'wisp/concierge', message: '[[chunks=2 hold]]' };
  const calling = client.callTool(
    { name: 'message_agent', arguments: wanted },
    { onprogress: (step) => told.push(step) },
  );
  await expect.poll(() => told.length, { timeout: 15_000 }).toBeGreaterThan(0);
  expect(told[0]).toMatchObject({ message: 'The turn is running.' });
  await provider.release();
  await calling;
});

test('a client that stops waiting does not stop the agent', async () => {
  const client = await overHttp('legacy');
  const { body: session } = await parley.request<Session>('POST', '/api/sessions', { agentId: 'wisp/concierge' });
  const wanted = { agent: 'wisp/concierge', message: '[[chunks=2 hold]]', session: session.id };
  const left = new AbortController();
  const calling = client.callTool({ name: 'message_agent', arguments: wanted }, { signal: left.signal });
  const state = async () => (await parley.request<Session>('GET', `/api/sessions/${session.id}`)).body.status;
  await expect.poll(state).toBe('working');
  left.abort();
  await expect(calling).rejects.toThrow();
  expect(await state()).toBe('working');
  await provider.release();
  await expect.poll(state).toBe('active');
});

test('without the credential, from another host or web page, or round in a circle, nothing is answered', async () => {
  const body = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} };
  const post = (headers: Record<string, string>) =>
    fetch(new URL('/mcp', parley.url), {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream', ...headers },
      body: JSON.stringify(body),
    }).then(({ status }) => status);
  const authorization = { Authorization: `Bearer ${parley.token}` };
  expect(await post({})).toBe(401);
  expect(await post({ ...authorization, Origin: 'https://evil.example' })).toBe(403);
  expect(await post({ ...authorization, 'Parley-Hops': '9' })).toBe(508);
  expect(await post(authorization)).toBe(200);
  const client = await overHttp('legacy');
  const _meta = { 'parley/hops': 9 };
  const wanted = { agent: 'wisp/concierge', message: 'hello' };
  const round = await client.callTool({ name: 'message_agent', arguments: wanted, _meta });
  expect(round).toMatchObject({ isError: true });
});
