import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { call, failure, McpFixture, reference, toolOf, until } from './mcp-fixture.ts';
import { start, startLegacy, startModern } from './scripted-http.ts';

const name = { name: 'Ada' };

function at(url: string, more: object = {}) {
  return { url, allowPrivateNetwork: true, ...more };
}

describe('servers over HTTP', () => {
  it('everything: is spoken to in a session, shows progress, asks and is stopped', async () => {
    const url = await startEverything();
    const servers = await new McpFixture({ everything: at(url) }).meet();
    expect(servers.list()[0]).toMatchObject({ transport: 'http', target: url, state: 'ready', error: null });
    expect((await call(toolOf(servers, 'everything__echo'), { message: 'hi' }).result).text).toBe('Echo: hi');

    const ask = toolOf(servers, 'everything__trigger-elicitation-request');
    expect((await call(ask, {}, { answer: () => ({ values: { name: 'Ada' } }) }).result).text).toContain('Ada');

    const long = call(toolOf(servers, 'everything__trigger-long-running-operation'), { duration: 600, steps: 2400 });
    await until(() => long.shown.length > 0);
    const reason = new Error('stopped');
    long.stop(reason);
    expect(await failure(long.result)).toBe(reason);
  });

  it.each([
    ['of today', startModern],
    ['of yesterday', startLegacy],
  ])('%s: are called, ask, and are told that nobody waits any more', async (_, begin) => {
    const fixture = new McpFixture({});
    const notes = path.join(fixture.folder, 'notes');
    const http = await begin({ notes });
    fixture.configure({ it: at(http.url) });
    const servers = await fixture.meet();
    expect(servers.list()[0]).toMatchObject({ state: 'ready', error: null });
    expect((await call(toolOf(servers, 'it__hello'), name).result).text).toBe('Hello Ada.');

    const asking = call(toolOf(servers, 'it__ask'), {}, { answer: () => ({ values: { name: 'Ada' } }) });
    expect(JSON.parse((await asking.result).text).content).toEqual({ name: 'Ada', color: 'green', sure: true });

    const silent = call(toolOf(servers, 'it__silent'));
    await until(() => http.requests.some(({ body }) => body.includes('"silent"')));
    silent.stop();
    await failure(silent.result);
    await until(() => noted(notes, 'silent was cancelled'));
  });

  it('of yesterday: two calls at once each ask their own person', async () => {
    const http = await startLegacy();
    const servers = await new McpFixture({ it: at(http.url) }).meet();
    const ask = toolOf(servers, 'it__ask');
    const bothAsked = Promise.withResolvers<void>();
    let waiting = 0;
    const answer = (person: string) => async () => {
      if (++waiting === 2) bothAsked.resolve();
      await bothAsked.promise;
      return { values: { name: person } };
    };
    const calls = ['Ada', 'Bob'].map((person) => call(ask, {}, { answer: answer(person), agentId: person }));
    const results = await Promise.all(calls.map(({ result }) => result));
    expect(results.map(({ text }) => JSON.parse(text).content.name)).toEqual(['Ada', 'Bob']);
  });

  it('that have forgotten us are greeted anew, and the call is made once', async () => {
    const http = await startLegacy();
    const servers = await new McpFixture({ it: at(http.url) }).meet();
    http.forgetSessions();
    expect((await call(toolOf(servers, 'it__hello'), name).result).text).toBe('Hello Ada.');
    const greetings = http.requests.filter(({ body }) => body.includes('"initialize"'));
    expect(greetings).toHaveLength(2);

    http.forgetSessions();
    const { definitionsHash } = servers.list()[0]!;
    expect(await servers.accept('it', definitionsHash!)).toMatchObject({ state: 'ready' });
  });

  it('of which the connection breaks during a call end it', async () => {
    const http = await startModern();
    const servers = await new McpFixture({ it: at(http.url) }).meet();
    const silent = call(toolOf(servers, 'it__silent'));
    await until(() => http.requests.some(({ body }) => body.includes('"silent"')));
    http.cutConnections();
    expect(await failure(silent.result)).toMatchObject({ code: 'mcp_server_failed' });
    expect((await call(toolOf(servers, 'it__hello'), name).result).text).toBe('Hello Ada.');
  });

  it('that say too much are not read to the end', async () => {
    const http = await startLegacy();
    const servers = await new McpFixture({ it: at(http.url) }).meet();
    const error = await failure(call(toolOf(servers, 'it__huge')).result);
    expect(error.message).toContain('larger than 8000000 bytes');
    expect((await call(toolOf(servers, 'it__hello'), name).result).text).toBe('Hello Ada.');
  });

  it('that are gone are said to be', async () => {
    const http = await startModern();
    const fixture = new McpFixture({ it: at(http.url) });
    const servers = await fixture.meet();
    await http.close();
    const error = await failure(call(toolOf(servers, 'it__hello'), name).result);
    expect(error).toMatchObject({
      code: 'mcp_server_failed',
      message: expect.stringContaining('connection refused'),
    });
    expect(servers.list()[0]).toMatchObject({ state: 'failed', error: expect.stringContaining('refused') });
    await failure(call(toolOf(servers, 'it__hello'), name).result);
    expect(fixture.waits).toHaveLength(1);
  });
});

describe('where servers over HTTP may be', () => {
  it('is not this machine, unless the configuration says so', async () => {
    const http = await startModern();
    const servers = await new McpFixture({ it: { url: http.url } }).meet();
    expect(servers.list()[0]).toMatchObject({ state: 'failed', error: expect.stringContaining('allowPrivateNetwork') });
    expect(http.requests).toEqual([]);
  });

  it('is told their headers, and nowhere else is', async () => {
    const elsewhere = await startModern();
    const http = await start((_, response) => response.writeHead(307, { location: elsewhere.url }).end());
    const headers = { Authorization: 'Bearer ${TOKEN}' };
    const environment = { TOKEN: 'secret-1' };
    const servers = await new McpFixture({ it: at(`${http.url}?key=\${TOKEN}`, { headers }) }).meet({ environment });
    expect(http.requests[0]!.headers.authorization).toBe('Bearer secret-1');
    expect(elsewhere.requests).toEqual([]);
    const [info] = servers.list();
    expect(info).toMatchObject({ state: 'failed', target: `${http.url}?…` });
    expect(JSON.stringify(info)).not.toContain('secret-1');
  });

  it('is not told to whoever reads what went wrong with a header', async () => {
    const fixture = new McpFixture({ it: at('http://127.0.0.1:9/mcp', { headers: { Authorization: '${TOKEN}' } }) });
    const servers = await fixture.meet({ environment: { TOKEN: 'secret\n1' } });
    expect(servers.list()[0]).toMatchObject({ state: 'failed', error: 'Its headers are not valid.' });
    expect(JSON.stringify(fixture.reports)).not.toContain('secret');
  });

  it('is a place that lets us in', async () => {
    const http = await start((_, response) => response.writeHead(401).end('who are you?'));
    const servers = await new McpFixture({ it: at(http.url) }).meet();
    expect(servers.list()[0]).toMatchObject({ state: 'failed', error: expect.stringContaining('HTTP 401') });
  });
});

function noted(file: string, line: string): boolean {
  return existsSync(file) && readFileSync(file, 'utf8').includes(line);
}

async function startEverything(): Promise<string> {
  const port = await freePort();
  const { command, args } = reference.everything('streamableHttp');
  const child = spawn(command, args, { env: { PATH: process.env.PATH, PORT: String(port) }, stdio: 'pipe' });
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await once(child, 'exit');
  });
  let said = '';
  child.stderr.on('data', (piece) => {
    said += piece;
  });
  await until(() => said.includes('listening'));
  return `http://127.0.0.1:${port}/mcp`;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
