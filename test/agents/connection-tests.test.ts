import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ConnectionTest, RemoteCard } from '../../contract/agents.ts';
import { A2aPeer } from '../harness/a2a/peer.ts';
import { Parley } from '../harness/parley.ts';
import { acpAgent } from './acp/fixture.ts';

const KEY = 'key-of-the-provider';
const folder = mkdtempSync(path.join(tmpdir(), 'parley-test-'));
const seen: { method: string; url: string }[] = [];
let provider: Server;
let peer: A2aPeer;
let parley: Parley;

beforeAll(async () => {
  provider = createServer(({ method = '', url = '', headers }, response) => {
    seen.push({ method, url });
    if (url === '/input') return void response.writeHead(405).end();
    if (url === '/down') return void response.writeHead(503).end();
    if (url !== '/v1/models') return void response.writeHead(404).end();
    const isKnown = headers.authorization === `Bearer ${KEY}`;
    response.writeHead(isKnown ? 200 : 401).end(JSON.stringify({ data: [{ id: 'small' }] }));
  });
  await new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve));
  peer = await A2aPeer.start('1.0');
  install('claude', 'echo "2.1.0 (Claude Code)"');
  parley = await Parley.start({
    config: {
      agents: [
        acpAgent('pip', path.join(folder, 'memory')),
        acpAgent('locked', path.join(folder, 'memory'), ['old']),
        { agentId: 'far', type: 'a2a', a2a: { url: peer.url, apiKey: 'key-of-the-remote-agent' } },
        { agentId: 'kept', chat: chat({ apiKey: KEY }) },
      ],
      tools: { fetch: { allowHosts: [peer.host, new URL(address('/')).host] } },
    },
    env: { PATH: `${path.join(folder, 'bin')}${path.delimiter}${process.env.PATH}`, HOME: folder },
  });
});

afterAll(async () => {
  await Promise.all([parley.close(), peer.close()]);
  await new Promise((resolve) => provider.close(resolve));
  rmSync(folder, { recursive: true, force: true });
});

function install(name: string, script: string): void {
  mkdirSync(path.join(folder, 'bin'), { recursive: true });
  writeFileSync(path.join(folder, 'bin', name), `#!/bin/sh\n${script}\n`);
  chmodSync(path.join(folder, 'bin', name), 0o755);
}

function address(at: string): string {
  return `http://127.0.0.1:${(provider.address() as AddressInfo).port}${at}`;
}

function chat(more: object): object {
  return { provider: 'openai-compatible', baseUrl: address('/v1'), model: 'small', ...more };
}

async function told(changes: object, agentId = 'draft'): Promise<[boolean, string]> {
  const test = await parley.ok<ConnectionTest>('POST', '/api/connection-tests', { agentId, changes });
  return [test.works, test.checks.map(({ state, message }) => `${state}: ${message}`).join('\n')];
}

describe('a test of the connection says in words what is missing', () => {
  it('of a model: its key, its name, its server', async () => {
    expect(await told({ chat: { provider: 'demo' } })).toEqual([true, expect.stringContaining('needs no connection')]);
    expect(await told({ chat: chat({ apiKey: KEY }) })).toEqual([true, expect.stringContaining('offers the model')]);
    const other = await told({ chat: chat({ apiKey: KEY, model: 'large' }) });
    expect(other).toEqual([true, expect.stringContaining('list the model large')]);
    expect(await told({ chat: chat({}) })).toEqual([false, expect.stringContaining('requires an API key (HTTP 401)')]);
    const wrong = await told({ chat: chat({ apiKey: 'other' }) });
    expect(wrong).toEqual([false, expect.stringContaining('rejected the API key (HTTP 401)')]);
    const unset = await told({ chat: chat({ apiKey: '${NO_SUCH_KEY}' }) });
    expect(unset).toEqual([false, expect.stringContaining('Set NO_SUCH_KEY')]);
    const gone = await told({ chat: chat({ baseUrl: 'http://127.0.0.1:9/v1' }) });
    expect(gone).toEqual([false, expect.stringContaining("Can't reach 127.0.0.1:9")]);
  });

  it('of a program: that it is not there, or not signed in', async () => {
    const [works, words] = await told({ chat: { provider: 'claude-cli' } });
    expect(works).toBe(process.platform === 'darwin');
    expect(words).toContain('version 2.1.0');
    expect(words).toContain('signed in');
    const absent = await told({ chat: { provider: 'pi-cli', cli: { command: 'no-such-program' } } });
    expect(absent).toEqual([false, expect.stringContaining('no-such-program')]);
    const acp = await told({ type: 'acp', acp: { command: 'no-such-program' } });
    expect(acp).toEqual([false, expect.stringContaining('not on the PATH')]);
  });

  it('of an ACP agent whose command is confirmed: what it answers when it is started', async () => {
    expect(await told({}, 'pip')).toEqual([true, expect.stringContaining('responded.')]);
    expect(await told({}, 'locked')).toEqual([false, expect.stringContaining('Agent Client Protocol')]);
    const changed = await told({ acp: { args: ['-e', '0'] } }, 'pip');
    expect(changed).toEqual([true, expect.stringContaining("wasn't started")]);
  });

  it('of a remote agent: its card, and whether it is approved', async () => {
    expect(await told({}, 'far')).toEqual([true, expect.stringContaining("isn't approved yet")]);
    const { hash } = await parley.ok<RemoteCard>('GET', '/api/agent-cards/far');
    await parley.ok('POST', '/api/agent-cards/far', { hash });
    expect(await told({}, 'far')).toEqual([true, expect.stringContaining('the one you approved')]);
    const priv = await told({ type: 'a2a', a2a: { url: 'http://127.0.0.1:9/' } });
    expect(priv).toEqual([false, expect.stringContaining('allowHosts')]);
  });

  it('of an external agent: whether its server is there, without any input', async () => {
    const external = (inputUrl: string) => ({ type: 'external', external: { inputUrl, secret: 'shared' } });
    expect(await told(external(address('/input')))).toEqual([true, expect.stringContaining('is reachable')]);
    expect(seen.filter(({ url }) => url === '/input').map(({ method }) => method)).toEqual(['HEAD']);
    expect(await told(external(address('/down')))).toEqual([false, expect.stringContaining('HTTP 503')]);
    const hidden = await told(external('http://127.0.0.1:9/input'));
    expect(hidden).toEqual([false, expect.stringContaining('allowHosts')]);
    expect(await told({ type: 'external' })).toEqual([false, expect.stringContaining('external.inputUrl')]);
  });
});

describe('a test of the connection changes nothing', () => {
  it('and uses a saved key only for the host that it was given for', async () => {
    expect((await told({}, 'kept'))[0]).toBe(true);
    const moved = { chat: { baseUrl: 'http://127.0.0.1:9/v1' } };
    const { status, body } = await parley.request('POST', '/api/connection-tests', { agentId: 'kept', changes: moved });
    expect([status, JSON.stringify(body)]).toEqual([422, expect.stringContaining('must be sent again')]);
  });

  it('and saves no agent', async () => {
    await told({ chat: { provider: 'demo' } });
    expect((await parley.request('GET', '/api/agents/draft')).status).toBe(404);
  });
});
