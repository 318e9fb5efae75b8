import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Message, MessageList } from '../../contract/messages.ts';
import type { CreateSession, Session } from '../../contract/sessions.ts';
import type { Receipt, SendMessageInput, Turn } from '../../contract/turns.ts';
import { PROGRAM } from './program.ts';
import { type Frame, readFrames } from './sse-frames.ts';

export interface ParleyOptions {
  /** `parley.json`; without it the server makes its first start. */
  config?: object;
  env?: Record<string, string>;
  home?: string;
  /** A program that serves like `parley`; default: that one. */
  program?: string;
}

export interface Answer<T = unknown> {
  status: number;
  headers: Headers;
  body: T;
}

/** A real server in its own process, used through its front door. */
export class Parley {
  readonly home: string;
  readonly #env: Record<string, string>;
  readonly #program: string;
  #child: ChildProcess;
  url = '';
  token = '';
  stderr = '';

  private constructor(home: string, env: Record<string, string>, program: string) {
    this.home = home;
    this.#env = env;
    this.#program = program;
    this.#child = this.#spawn(env);
  }

  static async start(options: ParleyOptions = {}): Promise<Parley> {
    const home = options.home ?? mkdtempSync(path.join(tmpdir(), 'parley-test-'));
    mkdirSync(home, { recursive: true, mode: 0o700 });
    if (options.config) writeFileSync(path.join(home, 'parley.json'), JSON.stringify(options.config, null, 2));
    const parley = new Parley(home, options.env ?? {}, options.program ?? PROGRAM);
    await parley.#ready();
    return parley;
  }

  #spawn(env: Record<string, string>, port = '0'): ChildProcess {
    const { PATH = '', HOME = '' } = process.env;
    return spawn(process.execPath, [this.#program, 'serve', '--home', this.home, '--port', port], {
      env: { PATH, HOME, PARLEY_NO_OPEN: '1', PARLEY_LOG_LEVEL: 'warn', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  }

  async #ready(): Promise<void> {
    const child = this.#child;
    child.stderr!.setEncoding('utf8').on('data', (text) => {
      this.stderr += text;
    });
    let stdout = '';
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    child.stdout!.setEncoding('utf8').on('data', (text) => {
      stdout += text;
      const url = /http:\/\/\S+:\d+/.exec(stdout)?.[0];
      if (!url || !stdout.includes('\n')) return;
      this.url = url;
      resolve();
    });
    child.once('exit', (code) => reject(new Error(`the server ended with ${code}: ${this.stderr}`)));
    await promise;
    this.token = this.#env.PARLEY_TOKEN ?? readFileSync(path.join(this.home, 'token'), 'utf8').trim();
  }

  get pid(): number {
    return this.#child.pid!;
  }

  get exited(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  async waitForExit(): Promise<number | null> {
    if (!this.exited) await once(this.#child, 'exit');
    return this.#child.exitCode;
  }

  /** As if the machine had lost its power, as far as the process is concerned. */
  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.waitForExit();
  }

  async stop(): Promise<number | null> {
    if (!this.exited) this.#child.kill('SIGTERM');
    return this.waitForExit();
  }

  /** On the same data; with another environment when one is given. */
  async restart(env: Record<string, string> = this.#env): Promise<void> {
    if (!this.exited) await this.stop();
    this.#child = this.#spawn(env);
    await this.#ready();
  }

  /** At the address it had: whoever was connected finds it again. */
  async restartThere(): Promise<void> {
    if (!this.exited) await this.stop();
    this.#child = this.#spawn(this.#env, new URL(this.url).port);
    await this.#ready();
  }

  async close(): Promise<void> {
    if (!this.exited) await this.kill();
    rmSync(this.home, { recursive: true, force: true });
  }

  async request<T = unknown>(
    method: string,
    route: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer<T>> {
    const response = await this.fetch(method, route, body, headers);
    const text = await response.text();
    const json = response.headers.get('content-type')?.includes('json') ?? false;
    return { status: response.status, headers: response.headers, body: (json ? JSON.parse(text) : text) as T };
  }

  fetch(
    method: string,
    route: string,
    body?: unknown,
    headers: Record<string, string> = {},
    signal?: AbortSignal,
  ): Promise<Response> {
    return fetch(this.url + route, {
      method,
      headers: {
        Authorization: `Bearer ${this.token}`,
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      ...(signal && { signal }),
    });
  }

  /** For what must succeed: the body, or a failure that says what came instead. */
  async ok<T>(method: string, route: string, body?: unknown, headers?: Record<string, string>): Promise<T> {
    const answer = await this.request<T>(method, route, body, headers);
    if (answer.status >= 300) throw new Error(`${method} ${route}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  }

  createSession(wanted: CreateSession = {}): Promise<Session> {
    return this.ok('POST', '/api/sessions', wanted);
  }

  session(id: string): Promise<Session> {
    return this.ok('GET', `/api/sessions/${id}`);
  }

  send(sessionId: string, message: SendMessageInput): Promise<Receipt> {
    return this.ok('POST', `/api/sessions/${sessionId}/messages`, message);
  }

  /** Sends and waits until the turn has settled. */
  say(sessionId: string, message: SendMessageInput): Promise<Receipt> {
    return this.ok('POST', `/api/sessions/${sessionId}/messages?wait=30`, message);
  }

  async messages(sessionId: string): Promise<Message[]> {
    const list = await this.ok<MessageList>('GET', `/api/sessions/${sessionId}/messages?limit=500`);
    return list.messages;
  }

  async turn(turnId: string): Promise<Turn> {
    return (await this.ok<{ turn: Turn }>('GET', `/api/turns/${turnId}`)).turn;
  }

  /** `speaker: text` of everything said, in order. */
  async transcript(sessionId: string): Promise<string[]> {
    return (await this.messages(sessionId)).map((message) => `${message.agent ?? message.role}: ${message.text}`);
  }

  async *sendStream(sessionId: string, message: SendMessageInput): AsyncGenerator<Frame> {
    const response = await this.fetch('POST', `/api/sessions/${sessionId}/messages`, message, {
      Accept: 'text/event-stream',
    });
    if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
    yield* readFrames(response);
  }

  async *events(
    route = '/api/events',
    headers: Record<string, string> = {},
    signal?: AbortSignal,
  ): AsyncGenerator<Frame> {
    const response = await this.fetch('GET', route, undefined, headers, signal);
    if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
    yield* readFrames(response);
  }
}

/** Waits for something to become true, asking often, and says what was seen last when it does not. */
export async function until<T>(look: () => Promise<T>, holds: (value: T) => boolean, timeoutMs = 10_000): Promise<T> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const value = await look();
    if (holds(value)) return value;
    if (Date.now() > deadline)
      throw new Error(`did not happen in ${timeoutMs} ms; last seen: ${JSON.stringify(value)}`);
    await new Promise((resolve) => setTimeout(resolve, 15));
  }
}
