import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Share, ShareList } from '../../contract/shares.ts';
import { scriptedAgent } from '../harness/agents.ts';
import { Parley, until } from '../harness/parley.ts';
import { rawRequest } from '../harness/raw-request.ts';
import { ScriptedProvider } from '../harness/scripted-provider.ts';

const PUBLIC = 'https://parley.example:8443';
let provider: ScriptedProvider;
let parley: Parley;
const inputs: { callback: { url: string } }[] = [];
const receiver = createServer(async (request, response) => {
  inputs.push(JSON.parse(Buffer.concat(await request.toArray()).toString()));
  response.writeHead(202).end();
});

beforeAll(async () => {
  provider = await ScriptedProvider.start();
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  const host = `127.0.0.1:${(receiver.address() as AddressInfo).port}`;
  const external = { inputUrl: `http://${host}/`, secret: 'shared' };
  const agents = [
    scriptedAgent(provider.url, 'ada', { apiExposed: true }),
    { agentId: 'ext', type: 'external', external },
    { agentId: 'near', type: 'external', external: { ...external, callbackBaseUrl: 'http://127.0.0.1:1' } },
  ];
  const tools = { fetch: { allowHosts: [host] } };
  parley = await Parley.start({ config: { agents, tools, server: { publicUrl: `${PUBLIC}/` } } });
});

afterAll(async () => {
  await parley.close();
  await provider.close();
  receiver.closeAllConnections();
  receiver.close();
});

it('is an address under which the server answers, for programs and pages', async () => {
  const ask = (headers: Record<string, string>) =>
    rawRequest(parley, 'GET', '/api/sessions', { Authorization: `Bearer ${parley.token}`, ...headers });
  expect((await ask({ Host: 'parley.example:8443' })).status).toBe(200);
  expect((await ask({ Host: 'parley.example:8443', Origin: PUBLIC })).status).toBe(200);
  expect((await ask({ Host: 'parley.example' })).status).toBe(403);
  expect((await ask({ Host: new URL(parley.url).host, Origin: 'https://other.example' })).status).toBe(403);
});

it('begins sign-in links, and links to shared sessions, wherever those were made', async () => {
  const { url } = await parley.ok<{ url: string }>('POST', '/api/sign-in-links');
  expect(url).toMatch(new RegExp(`^${PUBLIC}/#code=`));
  const { id } = await parley.createSession({ agentId: 'ada' });
  await parley.say(id, { content: 'hello' });
  const share = await parley.ok<Share>('POST', `/api/sessions/${id}/shares`, {});
  expect(share.url).toMatch(new RegExp(`^${PUBLIC}/s/`));
  const list = await parley.ok<ShareList>('GET', '/api/shares');
  expect(list).toEqual({ shares: [share], publicUrl: PUBLIC });
});

it('is where clients of A2A find agents', async () => {
  const { agents } = await parley.ok<{ agents: object[] }>('GET', '/a2a/agents');
  const url = `${PUBLIC}/a2a/ada/`;
  expect(agents).toMatchObject([{ url, card: `${url}.well-known/agent-card.json` }]);
  const card = await parley.ok<object>('GET', '/a2a/ada/.well-known/agent-card.json');
  expect(card).toMatchObject({ url, supportedInterfaces: [{ url }, { url }, { url }, { url }] });
  expect(await parley.ok('GET', '/api/openapi.json')).toMatchObject({ servers: [{ url: PUBLIC }] });
});

it('is where external agents call back, unless their definition names another address', async () => {
  for (const agentId of ['ext', 'near']) {
    const { id } = await parley.createSession({ agentId });
    await parley.send(id, { content: 'hello' });
  }
  await until(
    async () => inputs.map(({ callback }) => new URL(callback.url).origin).sort(),
    (origins) => origins.length === 2 && origins[0] === 'http://127.0.0.1:1' && origins[1] === PUBLIC,
  );
});

it.each(['https://parley.example/base', 'ftp://parley.example', 'parley.example', 'https://a:b@parley.example'])(
  'is refused when it is %s',
  async (publicUrl) => {
    await expect(Parley.start({ config: { agents: [], server: { publicUrl } } })).rejects.toThrow(/server\.publicUrl/);
  },
);
