import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { callJson } from '../load/calls.ts';
import type { WireRequest } from '../load/connection.ts';
import { Child } from './child.ts';
import { frozenProgram, SOURCE_PROGRAM } from './program.ts';
import type { Side } from './side.ts';

export const AGENT = 'bench';

export interface ParleyOptions {
  modelUrl: string;
  /** A folder that is kept; without it a new one goes away with the server. */
  home?: string;
  port?: number;
  chat?: object;
  /** For Node itself, such as a profiler's: then the sources run instead of the frozen program. */
  nodeArgs?: readonly string[];
}

export class Parley implements Side {
  readonly name = 'parley';
  readonly child: Child;
  readonly home: string;
  readonly #isKept: boolean;
  #token: string | undefined;

  constructor({ modelUrl, home, port = 0, chat = {}, nodeArgs }: ParleyOptions) {
    this.#isKept = home !== undefined;
    this.home = home ?? mkdtempSync(path.join(tmpdir(), 'parley-bench-'));
    mkdirSync(this.home, { recursive: true, mode: 0o700 });
    writeConfig(this.home, modelUrl, chat);
    // The program's own first line has the flags that it wants.
    const program = nodeArgs ? [process.execPath, ...nodeArgs, SOURCE_PROGRAM] : [frozenProgram()];
    const args = [...program, 'serve', '--home', this.home, '--port', String(port)];
    this.child = new Child('server', args, { PARLEY_NO_OPEN: '1', PARLEY_LOG_LEVEL: 'warn' });
  }

  static async start(options: ParleyOptions): Promise<Parley> {
    const parley = new Parley(options);
    await parley.child.ready();
    return parley;
  }

  get headers(): Record<string, string> {
    this.#token ??= readFileSync(path.join(this.home, 'token'), 'utf8').trim();
    return { authorization: `Bearer ${this.#token}` };
  }

  async open(): Promise<string> {
    const request: WireRequest = {
      method: 'POST',
      path: '/api/sessions',
      body: { agentId: AGENT },
      headers: this.headers,
    };
    return (await callJson<{ id: string }>(this.child.url, request)).id;
  }

  turn(conversation: string, text: string): WireRequest {
    const request = this.message(conversation, text);
    return { ...request, headers: { ...request.headers, accept: 'text/event-stream' } };
  }

  /** Only hands the message in; the answer is read elsewhere. */
  message(conversation: string, content: string): WireRequest {
    return { method: 'POST', path: `/api/sessions/${conversation}/messages`, headers: this.headers, body: { content } };
  }

  list(limit: number): WireRequest {
    return this.get(`/api/sessions?limit=${limit}`);
  }

  get(route: string): WireRequest {
    return { method: 'GET', path: route, headers: this.headers };
  }

  async stop(): Promise<void> {
    await this.child.stop();
    if (!this.#isKept) rmSync(this.home, { recursive: true, force: true });
  }
}

function writeConfig(home: string, modelUrl: string, chat: object): void {
  const settings = { provider: 'openai-compatible', model: 'scripted', baseUrl: `${modelUrl}/v1`, ...chat };
  const agent = { agentId: AGENT, displayName: 'Bench', description: 'Answers as scripted.', chat: settings };
  writeFileSync(path.join(home, 'parley.json'), JSON.stringify({ agents: [agent] }, null, 2));
}

/** The compile cache is filled by the first start; what is measured are the ones after it. */
export async function warmUp(modelUrl: string): Promise<void> {
  const parley = await Parley.start({ modelUrl });
  await parley.open();
  await parley.stop();
}
