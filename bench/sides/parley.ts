import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { callJson } from '../load/calls.ts';
import type { WireRequest } from '../load/connection.ts';
import { AGENT, DELEGATE } from './agents.ts';
import { Child } from './child.ts';
import { frozenProgram, SOURCE_PROGRAM } from './program.ts';
import type { Side } from './side.ts';

export interface ParleyOptions {
  modelUrl: string;
  name?: string;
  /** A folder that is kept; without it a new one goes away with the server. */
  home?: string;
  port?: number;
  chat?: object;
  /** What the agent is besides; without it, one without tools and colleagues. */
  agent?: object;
  /** There is another agent, which it can ask. */
  withDelegate?: boolean;
  /** More of `parley.json`. */
  config?: object;
  /** For Node itself, such as a profiler's: then the sources run, unless it is said that they should not. */
  nodeArgs?: readonly string[];
  asPublished?: boolean;
}

export class Parley implements Side {
  readonly name: string;
  readonly child: Child;
  readonly home: string;
  readonly #isKept: boolean;
  #token: string | undefined;

  constructor(options: ParleyOptions) {
    const { name = 'parley', home, port = 0 } = options;
    this.name = name;
    this.#isKept = home !== undefined;
    this.home = home ?? mkdtempSync(path.join(tmpdir(), 'parley-bench-'));
    mkdirSync(this.home, { recursive: true, mode: 0o700 });
    writeConfig(this.home, options);
    const args = [...programOf(options), 'serve', '--home', this.home, '--port', String(port)];
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

  async open(agentId = AGENT): Promise<string> {
    const request: WireRequest = {
      method: 'POST',
      path: '/api/sessions',
      body: { agentId },
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

/** The published program's own first line has the flags that it wants. */
function programOf({ nodeArgs, asPublished = nodeArgs === undefined }: ParleyOptions): string[] {
  const program = asPublished ? frozenProgram() : SOURCE_PROGRAM;
  return nodeArgs ? [process.execPath, ...nodeArgs, program] : [program];
}

/** As agents were before there were tools: what is offered by default is measured as a row of its own. */
export const NO_TOOLS = { toolAllowlist: [], agentAllowlist: [] };

function writeConfig(home: string, options: ParleyOptions): void {
  const { modelUrl, chat, agent = NO_TOOLS, withDelegate, config } = options;
  const settings = { provider: 'openai-compatible', model: 'scripted', baseUrl: `${modelUrl}/v1`, ...chat };
  const about = { description: 'Answers as scripted.', chat: settings };
  const bench = { agentId: AGENT, displayName: 'Bench', ...about, ...agent };
  const delegate = { agentId: DELEGATE, displayName: 'Delegate', ...about, ...NO_TOOLS };
  const agents = withDelegate ? [bench, delegate] : [bench];
  writeFileSync(path.join(home, 'parley.json'), JSON.stringify({ agents, ...config }, null, 2));
}

/** The compile cache is filled by the first start; what is measured are the ones after it. */
export async function warmUp(options: ParleyOptions): Promise<void> {
  const parley = await Parley.start(options);
  await parley.open();
  await parley.stop();
}
