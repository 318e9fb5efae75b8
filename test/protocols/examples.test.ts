import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable, Writable } from 'node:stream';
import { promisify } from 'node:util';
import { client, methods, ndJsonStream, PROTOCOL_VERSION } from '@agentclientprotocol/sdk';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AgentDefinition } from '../../contract/agents.ts';
import { ConfigFile } from '../../contract/config.ts';
import { scriptedAgent } from '../harness/agents.ts';
import { Parley, until } from '../harness/parley.ts';
import { ScriptedProvider } from '../harness/scripted-provider.ts';
import { text } from '../harness/scripted-script.ts';
import { allExamples, exampleIn } from './examples.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const execute = promisify(execFile);

/** Where the examples are executed: `~/.parley` is the data folder, `parley` is on the PATH, and packages are found. */
let home: string;
let port: number;
let provider: ScriptedProvider;
let parley: Parley;

beforeAll(async () => {
  mkdirSync(path.join(ROOT, '.vitest'), { recursive: true });
  home = mkdtempSync(path.join(ROOT, '.vitest/examples-'));
  provider = await ScriptedProvider.start();
  provider.script(() => ({ steps: text('Hello from the agent.') }));
  port = await freePort();
  const shown = { apiExposed: true };
  const agents = [
    scriptedAgent(provider.url, 'concierge', shown),
    scriptedAgent(provider.url, 'wisp/concierge', shown),
    JSON.parse(exampleIn('external-agents.md', 'json', 'desk/oracle",\n  "type"').replace(/https:[^"]*/, receiver())),
  ];
  const tools = { fetch: { allowHosts: [`127.0.0.1:${port}`] } };
  parley = await Parley.start({ config: { agents, tools }, env: { ORACLE_SECRET: 'shared' } });
  symlinkSync(parley.home, path.join(home, '.parley'));
  mkdirSync(path.join(home, 'bin'));
  symlinkSync(path.join(ROOT, 'bin/parley.mjs'), path.join(home, 'bin/parley'));
}, 30_000);

afterAll(async () => {
  await parley.close();
  await provider.close();
  rmSync(home, { recursive: true, force: true });
});

const receiver = () => `http://127.0.0.1:${port}/`;

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port: free } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return free;
}

function environment(): Record<string, string> {
  const node = path.dirname(process.execPath);
  return {
    PATH: `${home}/bin:${node}:${process.env.PATH}`,
    HOME: home,
    PARLEY_TOKEN: parley.token,
    ORACLE_SECRET: 'shared',
  };
}

/** At the address of this server. */
const here = (example: string) => example.replaceAll('http://127.0.0.1:4747', parley.url);

function write(name: string, script: string): string {
  const file = path.join(home, name);
  writeFileSync(file, script);
  return file;
}

async function run(command: string, args: string[]): Promise<string> {
  const { stdout } = await execute(command, args, { cwd: home, env: environment() });
  return stdout;
}

const hasCurl = await execute('curl', ['--version']).then(
  () => true,
  () => false,
);

describe('definitions and settings in the guides', () => {
  const isWhole = (value: object, schema: { shape: object }) => Object.keys(value).every((key) => key in schema.shape);
  const written = allExamples().flatMap(({ file, language, text: json }) => {
    const value: unknown = language === 'json' ? JSON.parse(json.replaceAll('…', '')) : [];
    return [value].flat().map((each) => ({ file, each: each as object }));
  });
  const definitions = written.filter(({ each }) => 'agentId' in each && !('event' in each));
  const settings = written.filter(({ each }) => isWhole(each, ConfigFile));

  it.each(definitions.map(({ file, each }) => [file, JSON.stringify(each), each]))('%s: %s', (_, __, definition) => {
    expect(AgentDefinition.safeParse(definition).error?.issues).toBeUndefined();
  });

  it.each(settings.map(({ file, each }) => [file, JSON.stringify(each), each]))('%s: %s', (_, __, given) => {
    expect(ConfigFile.safeParse(given).error?.issues).toBeUndefined();
  });

  it('there are some of both', () => {
    expect([definitions.length > 10, settings.length > 5]).toEqual([true, true]);
  });
});

describe('the examples for clients', () => {
  it.skipIf(!hasCurl)('of A2A work with curl', async () => {
    const said = await run('sh', ['-ec', here(exampleIn('a2a-server.md', '', 'curl '))]);
    expect(said).toContain('"card":');
    expect(said).toContain('Hello from the agent.');
    expect(said).toContain('TASK_STATE_COMPLETED');
  });

  it('of A2A work with the official client', async () => {
    const more =
      'for await (const { payload } of client.sendMessageStream(MESSAGE)) console.log(JSON.stringify(payload));';
    const part = { content: { $case: 'text', value: 'hello' }, metadata: undefined, filename: '', mediaType: '' };
    const empty = { contextId: '', taskId: '', extensions: [], referenceTaskIds: [] };
    const message = { tenant: '', message: { messageId: 'example', role: 1, parts: [part], ...empty } };
    const script = `${here(exampleIn('a2a-server.md', 'ts', 'ClientFactory'))}\nconst MESSAGE = ${JSON.stringify(message)};\n${more}`;
    expect(await run(process.execPath, [write('a2a.ts', script)])).toContain('Hello from the agent.');
  });

  it.skipIf(!hasCurl)('of the OpenAI API work with curl', async () => {
    const said = await run('sh', ['-ec', here(exampleIn('openai.md', '', 'curl '))]);
    expect(JSON.parse(said)).toMatchObject({ choices: [{ message: { content: 'Hello from the agent.' } }] });
  });

  it('of the OpenAI API work with the official client', async () => {
    const script = write('openai.ts', here(exampleIn('openai.md', 'ts', 'OpenAI')));
    expect(await run(process.execPath, [script])).toBe('Hello from the agent.');
  });

  it('of MCP start a server that lists agents', async () => {
    const { mcpServers } = JSON.parse(exampleIn('mcp-server.md', 'json', 'mcpServers'));
    const mcp = new Client({ name: 'example', version: '1' });
    await mcp.connect(new StdioClientTransport({ ...mcpServers.parley, env: environment() }));
    const listed = await mcp.callTool({ name: 'list_agents', arguments: {} });
    expect(JSON.stringify(listed)).toContain('concierge');
    await mcp.close();
  });

  it('of editors start an agent that holds a session', async () => {
    const { agent_servers: servers } = JSON.parse(exampleIn('editors.md', 'json', 'agent_servers'));
    const { command, args, env } = servers.Parley;
    const child = spawn(command, args, { env: { ...environment(), ...env }, cwd: home });
    const connection = client({ name: 'editor' }).connect(
      ndJsonStream(
        Writable.toWeb(child.stdin) as WritableStream<Uint8Array>,
        Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>,
      ),
    );
    const greeting = { protocolVersion: PROTOCOL_VERSION, clientCapabilities: {} };
    await connection.agent.request(methods.agent.initialize, greeting);
    const opened = await connection.agent.request(methods.agent.session.new, { cwd: tmpdir(), mcpServers: [] });
    expect((await parley.session(opened.sessionId)).id).toBe(opened.sessionId);
    connection.close();
    child.kill();
  });

  it('of an external agent answer when they are sent a message', async () => {
    const script = exampleIn('external-agents.md', 'js', 'createServer').replace('listen(8099', `listen(${port}`);
    const child = spawn(process.execPath, [write('oracle.mjs', script)], { env: environment(), stdio: 'ignore' });
    try {
      await until(
        () =>
          fetch(receiver()).then(
            ({ status }) => status,
            () => 0,
          ),
        (status) => status === 401,
      );
      const { id } = await parley.createSession({ agentId: 'desk/oracle' });
      await parley.say(id, { content: 'What is the answer?' });
      expect(await parley.transcript(id)).toContainEqual('desk/oracle: You said: What is the answer?');
    } finally {
      child.kill();
    }
  });
});
