import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Parley } from '../harness/parley.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const SUITE = path.join(ROOT, 'node_modules/@modelcontextprotocol/conformance/dist/index.js');

const SCENARIOS = ['server-initialize', 'ping', 'tools-list', 'resources-list', 'dns-rebinding-protection'];

/** What the suite asks of a server of its own making, or of parts of the protocol that Parley does not offer. */
const NOT_OURS: Readonly<Record<string, string>> = {
  'logging-set-level': 'no logging, which the newest protocol gives up',
  'completion-complete': 'nothing to complete',
  'prompts-list': 'no prompts',
  'prompts-get-simple': 'no prompts',
  'prompts-get-with-args': 'no prompts',
  'prompts-get-embedded-resource': 'no prompts',
  'prompts-get-with-image': 'no prompts',
  'resources-subscribe': 'no sessions of the protocol: each request stands for itself',
  'resources-unsubscribe': 'the same',
  'server-sse-polling': 'the same',
  'server-sse-multiple-streams': 'the same',
  'resources-read-text': 'a resource test://static-text of its own',
  'resources-read-binary': 'a resource test://static-binary of its own',
  'resources-templates-read': 'a resource test://template of its own',
  'tools-call-simple-text': 'a tool of its own',
  'tools-call-image': 'a tool of its own',
  'tools-call-audio': 'a tool of its own',
  'tools-call-embedded-resource': 'a tool of its own',
  'tools-call-mixed-content': 'a tool of its own',
  'tools-call-with-logging': 'a tool of its own',
  'tools-call-error': 'a tool of its own',
  'tools-call-with-progress': 'a tool of its own',
  'tools-call-sampling': 'a tool of its own',
  'tools-call-elicitation': 'a tool of its own',
  'json-schema-2020-12': 'a tool of its own',
  'elicitation-sep1034-defaults': 'a tool of its own',
  'elicitation-sep1330-enums': 'a tool of its own',
};

let parley: Parley;
let door: Server;

beforeAll(async () => {
  parley = await Parley.start({
    config: { agents: [{ agentId: 'demo', chat: { provider: 'demo' }, apiExposed: true }] },
  });
  door = await openDoor();
});

afterAll(async () => {
  door.close();
  await parley.close();
});

/** The suite shows no credential and knows another address: both are put in, and nothing else is changed. */
async function openDoor(): Promise<Server> {
  const server = createServer((incoming, outgoing) => {
    const own = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    const known = (text: string | undefined) => text?.replace(own, new URL(parley.url).host);
    const { host, origin, ...rest } = incoming.headers;
    const shown = { host: known(host), ...(origin && { origin: known(origin) }) };
    const headers = { ...rest, ...shown, authorization: `Bearer ${parley.token}` };
    const passed = request(`${parley.url}${incoming.url}`, { method: incoming.method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode!, answer.headers);
      answer.pipe(outgoing);
    });
    passed.on('error', () => outgoing.destroy());
    incoming.pipe(passed);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

describe("the protocol's own conformance suite, for servers", () => {
  it('has no scenario that we have not looked at', async () => {
    const { output } = await runSuite('list');
    const listed = output.slice(0, output.indexOf('Client scenarios')).matchAll(/^ {2}- (\S+)/gm);
    const ours = Array.from(listed, ([, name]) => name!).filter((name) => !(name in NOT_OURS));
    expect(ours.sort()).toEqual(SCENARIOS.toSorted());
  });

  it.each(SCENARIOS)('%s passes', { timeout: 60_000 }, async (scenario) => {
    const url = `http://127.0.0.1:${(door.address() as AddressInfo).port}/mcp`;
    const { output, code } = await runSuite('server', '--url', url, '--scenario', scenario);
    expect(output).toMatch(/Passed: (\d+)\/\1, 0 failed/);
    expect(code).toBe(0);
  });
});

function runSuite(...args: string[]): Promise<{ output: string; code: number | null }> {
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [SUITE, ...args], (_, stdout, stderr) =>
      resolve({ output: stdout + stderr, code: child.exitCode }),
    );
  });
}
