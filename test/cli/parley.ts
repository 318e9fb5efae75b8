import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { PROGRAM } from '../harness/program.ts';
import { ScriptedProvider } from '../harness/scripted-provider.ts';

export interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

const DEMO = { chat: { provider: 'demo', model: 'demo-fast' } };

/** A data folder with two quick agents, and one that says what the scripted provider tells it to. */
export function makeHome(agents: Record<string, unknown> = {}): string {
  const home = mkdtempSync(path.join(tmpdir(), 'parley-cli-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  writeFileSync(path.join(home, 'parley.json'), '{}');
  const all = { 'wisp/concierge': DEMO, 'wisp/scheduler': DEMO, ...agents };
  for (const [agentId, definition] of Object.entries(all)) putAgent(home, agentId, definition);
  return home;
}

export function putAgent(home: string, agentId: string, definition: unknown): void {
  const file = path.join(home, 'agents', `${agentId}.json`);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify(definition));
}

/** A home whose agent `scripted` obeys the magic words of the scripted provider. */
export async function makeScriptedHome(): Promise<{ home: string; provider: ScriptedProvider }> {
  const provider = await ScriptedProvider.start();
  onTestFinished(() => provider.close());
  const chat = { provider: 'openai-compatible', model: 'scripted', baseUrl: `${provider.url}/v1` };
  return { home: makeHome({ scripted: { chat } }), provider };
}

/** Nothing of the machine's own settings reaches the program. */
export function environment(home: string, more: Record<string, string> = {}): NodeJS.ProcessEnv {
  const { PATH = '', HOME = '' } = process.env;
  return { PATH, HOME, PARLEY_HOME: home, PARLEY_NO_OPEN: '1', OLLAMA_HOST: 'http://127.0.0.1:9', ...more };
}

export interface How {
  env?: Record<string, string>;
  input?: string;
}

export function launch(
  home: string,
  args: readonly string[],
  { env, input }: How = {},
): ChildProcessWithoutNullStreams {
  const child = spawn(process.execPath, [PROGRAM, ...args], { env: environment(home, env) });
  onTestFinished(() => void child.kill('SIGKILL'));
  if (input !== 'open') child.stdin.end(input ?? '');
  return child;
}

export async function parley(home: string, args: readonly string[], how: How = {}): Promise<Ended> {
  return ended(launch(home, args, how));
}

export async function ended(child: ChildProcessWithoutNullStreams): Promise<Ended> {
  const stdout = collect(child.stdout);
  const stderr = collect(child.stderr);
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
  return { code, stdout: stdout.text, stderr: stderr.text };
}

export function collect(stream: NodeJS.ReadableStream): { text: string } {
  const collected = { text: '' };
  stream.on('data', (chunk: Buffer) => {
    collected.text += chunk;
  });
  return collected;
}

export async function until(condition: () => boolean | Promise<boolean>, what: string, ms = 10_000): Promise<void> {
  for (const deadline = Date.now() + ms; !(await condition()); ) {
    if (Date.now() > deadline) throw new Error(`Waited in vain for ${what}.`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

export interface Served {
  child: ChildProcessWithoutNullStreams;
  url: string;
  stop(): Promise<number | null>;
}

/** `parley serve` on any free port, stopped with the test. */
export async function serve(home: string, env: Record<string, string> = {}): Promise<Served> {
  const child = launch(home, ['serve', '--port', '0', '--log-level', 'silent'], { env });
  const stdout = collect(child.stdout);
  const stderr = collect(child.stderr);
  await until(() => stdout.text.includes('\n') || child.exitCode !== null, 'the server');
  const url = /listening on (\S+)/.exec(stdout.text)?.[1];
  if (!url) throw new Error(`The server did not start: ${stderr.text}`);
  return { child, url, stop: () => stop(child) };
}

function stop(child: ChildProcessWithoutNullStreams): Promise<number | null> {
  const code = new Promise<number | null>((resolve) => child.on('exit', resolve));
  child.kill('SIGTERM');
  return code;
}
