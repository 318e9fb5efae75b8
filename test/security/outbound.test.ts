import type { IncomingMessage, ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { RecordedRequest } from '../harness/scripted-provider.ts';
import { type Script, text } from '../harness/scripted-script.ts';
import { start, startModern } from '../mcp/scripted-http.ts';
import { wireMessages } from '../suites/calling.ts';
import { reconfigure } from '../suites/reconfigure.ts';
import { TestServer } from '../suites/test-server.ts';
import { WebServer } from '../tools/web-server.ts';

const KEY = 'key-of-an-mcp-server';
const WORDS = 'what only this machine may read';

let site: WebServer;
let secret: WebServer;
let server: TestServer;
beforeAll(async () => {
  site = await WebServer.start(answer);
  secret = await WebServer.start((_request, response) => response.end(WORDS));
  server = await TestServer.start({
    agents: ['ada'],
    agent: { toolAllowlist: ['web_fetch', '*__*'] },
    env: { MCP_KEY: KEY },
    config: { tools: { fetch: { allowHosts: [site.host], maxBytes: 20_000 } } },
  });
  server.provider.script(fetchAll);
});
beforeEach(() => {
  secret.requests.length = 0;
});
afterAll(async () => {
  await server.close();
  await site.close();
  await secret.close();
});

/** One call for every line of the message. */
function fetchAll(request: RecordedRequest): Script {
  if (wireMessages(request).at(-1)!.role === 'tool') return { steps: text('Read.') };
  const lines = request.said.split('\n');
  return {
    steps: lines.map((url, index) => ({
      kind: 'toolCall',
      id: `c${index}`,
      name: 'web_fetch',
      input: JSON.stringify({ url }),
    })),
  };
}

/** A site that the owner has allowed, and that is not to be trusted. */
function answer({ url = '' }: IncomingMessage, response: ServerResponse): void {
  const { pathname, searchParams } = new URL(url, 'http://site');
  if (pathname === '/to') response.writeHead(302, { Location: searchParams.get('url')! }).end();
  else if (pathname === '/big') response.end('x'.repeat(20_001));
  else if (pathname === '/bomb')
    response.writeHead(200, { 'Content-Encoding': 'gzip' }).end(gzipSync(Buffer.alloc(5e6)));
  else if (pathname === '/drip') drip(response);
  else if (pathname !== '/stall') response.writeHead(200, { 'Content-Type': 'text/plain' }).end('A page.');
}

function drip(response: ServerResponse): void {
  const timer = setInterval(() => response.write('x'), 50);
  response.on('close', () => clearInterval(timer));
}

/** What an agent is told of each of these. */
async function fetched(...urls: string[]): Promise<{ url: string; state: string; output: string }[]> {
  const { turn } = await server.say(await server.open(), urls.join('\n'));
  const { calls } = await server.call('listToolCalls', { params: { turnId: turn.id } });
  return calls.map(({ input, state, output }) => ({ url: JSON.parse(input).url, state, output: output! }));
}

const port = () => secret.host.split(':')[1];

/** Ways to name this machine and its networks. Some are answered by a server that would tell. */
const private_ = () => [
  ...['127.0.0.1', '127.1', '2130706433', '0x7f000001', '0177.0.0.1', '0.0.0.0', '0'].map(
    (name) => `${name}:${port()}`,
  ),
  ...['localhost', 'LOCALHOST', '[::1]', '[::]'].map((name) => `${name}:${port()}`),
  ...['[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[64:ff9b::7f00:1]'].map((name) => `${name}:${port()}`),
  '169.254.169.254',
  '[fd00:ec2::254]',
  '168.63.129.16',
  '100.100.100.200',
  '10.0.0.1',
  '172.16.0.1',
  '192.168.1.1',
  '[fe80::1]',
  '[fd12:3456::1]',
  '224.0.0.1',
];

describe('an agent that fetches', () => {
  it('reads what the owner allowed, and not the next port of it', async () => {
    const [page, next] = await fetched(`http://${site.host}/page`, `http://${secret.host}/`);
    expect(page).toMatchObject({ state: 'complete', output: expect.stringContaining('A page.') });
    expect(next).toMatchObject({ state: 'failed' });
  });

  it('does not reach this machine, its networks or what a cloud tells it, however they are written', async () => {
    const own = new URL(server.parley.url).host;
    const provider = new URL(server.provider.url).host;
    const hosts = [...private_(), own, provider];
    const before = server.provider.requests.length;
    for (const { url, state, output } of await fetched(...hosts.map((host) => `http://${host}/latest/meta-data`))) {
      expect([url, state]).toEqual([url, 'failed']);
      expect([url, output]).toEqual([url, expect.stringMatching(/private network.*tools\.fetch\.allowHosts/)]);
    }
    expect(secret.requests).toEqual([]);
    expect(server.provider.requests.length - before).toBe(2);
  });

  it('does not reach them either when somebody allowed sends it there', async () => {
    const targets = [...private_().map((host) => `http://${host}/`), `//${secret.host}/`, 'file:///etc/passwd'];
    targets.push(`ftp://${secret.host}/`, `http://user:pw@${secret.host}/`, `gopher://${secret.host}/_x`);
    const through = (url: string) => `http://${site.host}/to?url=${encodeURIComponent(url)}`;
    for (const { url, state, output } of await fetched(
      ...targets.map(through),
      through(through(through(targets[0]!))),
    )) {
      expect([url, state]).toEqual([url, 'failed']);
      expect([url, output]).toEqual([url, expect.stringMatching(/private network|Only http|user name|redirect/)]);
    }
    expect(secret.requests).toEqual([]);
  });

  it('does not reach them for a person, or over what a person sends in its place', async () => {
    const body = { tool: 'web_fetch', input: { url: `http://localhost:${port()}/` } };
    expect(await server.call('runTool', { body })).toMatchObject({
      isError: true,
      output: expect.stringContaining('private network'),
    });
    for (const url of ['file:///etc/passwd', `ftp://${secret.host}`, 'javascript:1', 'data:text/plain,x'])
      await server.refused('tool_input_invalid', 'runTool', { body: { tool: 'web_fetch', input: { url } } });
    expect(secret.requests).toEqual([]);
  });

  it('reads no more, and waits no longer, than it may', async () => {
    await reconfigure(server, (settings) => Object.assign(settings.tools.fetch, { timeoutMs: 2000 }));
    const paths = ['big', 'bomb', 'drip', 'stall'];
    const all = await fetched(...paths.map((name) => `http://${site.host}/${name}`));
    expect(all.map(({ state }) => state)).toEqual(Array(4).fill('failed'));
    expect(all.map(({ output }) => output)).toEqual([
      expect.stringContaining('larger than 20000 bytes'),
      expect.stringContaining('larger than 20000 bytes'),
      expect.stringContaining('No complete response within 2 s'),
      expect.stringContaining('No complete response within 2 s'),
    ]);
  });
});

describe('an MCP server over HTTP', () => {
  const restart = (name: string) => server.ask('restartMcpServer', { params: { name } });

  it('is not on this machine unless the configuration says so, and its headers are for its own origin', async () => {
    const near = await startModern();
    const elsewhere = await startModern();
    const mover = await start((_request, response) => response.writeHead(307, { Location: elsewhere.url }).end());
    const headers = { Authorization: 'Bearer ${MCP_KEY}', 'X-Key': '${MCP_KEY}' };
    const allowed = { headers, approval: 'allow', allowPrivateNetwork: true };
    await reconfigure(server, (settings) => {
      settings.mcpServers = {
        near: { ...allowed, url: near.url },
        moved: { ...allowed, url: mover.url },
        far: { headers, url: elsewhere.url },
        named: { headers, url: elsewhere.url.replace('127.0.0.1', 'localhost') },
      };
    });
    expect(await restart('near')).toMatchObject({ status: 200, body: { state: 'ready' } });
    expect(near.requests.length).toBeGreaterThan(0);
    for (const request of near.requests)
      expect(request.headers).toMatchObject({ authorization: `Bearer ${KEY}`, 'x-key': KEY });
    for (const name of ['far', 'named']) {
      const { status, body } = await restart(name);
      expect([name, status, body]).toMatchObject([name, 502, { detail: expect.stringContaining('private network') }]);
    }
    expect(await restart('moved')).toMatchObject({ status: 502 });
    expect(mover.requests.length).toBeGreaterThan(0);
    expect(elsewhere.requests).toEqual([]);
    const shown = JSON.stringify(await server.call('listMcpServers')) + server.parley.stderr;
    expect(shown).not.toContain(KEY);
  });
});
