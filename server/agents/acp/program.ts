import { setTimeout as sleep } from 'node:timers/promises';
import {
  type ClientConnection,
  type CreateElicitationRequest,
  type CreateElicitationResponse,
  client,
  type InitializeResponse,
  methods,
  PROTOCOL_VERSION,
  RequestError,
  type SessionNotification,
} from '@agentclientprotocol/sdk';
import { say } from '../../../contract/texts.ts';
import { type Child, type ChildExit, ProcessStartError, startChild } from '../../processes/child.ts';
import { cleanEnvironment } from '../../processes/environment.ts';
import type { AgentDeps } from '../agent.ts';
import type { Kept } from '../pool.ts';
import { AcpFailure, signInFailure } from './failure.ts';
import { messageStream } from './message-stream.ts';
import type { OpenSession } from './open-session.ts';
import type { AcpSettings } from './settings.ts';
import type { TurnClient } from './turn-client.ts';

const GRACE_MS = 1000;
const LAST_WORDS_MS = 250;

/** A running ACP program and the connection to it. It serves one session of Parley. */
export class AcpProgram implements Kept {
  readonly #child: Child;
  readonly #settings: AcpSettings;
  readonly #connection: ClientConnection;
  readonly #waitMs: number;
  /** Who takes what the program says and asks at the moment, by the ACP session. */
  readonly #clients = new Map<string, TurnClient>();
  /** Sessions of which something was told before they were opened. */
  readonly #told = new Set<string>();
  #about: InitializeResponse | undefined;
  /** The ACP session that is open in the program. */
  session: OpenSession | undefined;
  /** With which the program reaches Parley's tools, in every turn in which it may. */
  toolToken: string | undefined;

  /** Starts the program, greets it and signs in where the settings say how. Rejects with an `AcpFailure`. */
  static async start(settings: AcpSettings, deps: AgentDeps, folder: string, signal: AbortSignal): Promise<AcpProgram> {
    const program = new AcpProgram(await startProgram(settings, deps, folder), settings, deps.limits().firstTokenMs);
    const stop = () => void program.close();
    signal.addEventListener('abort', stop, { once: true });
    try {
      await program.#greet();
      return program;
    } catch (error) {
      await program.close();
      throw error;
    } finally {
      signal.removeEventListener('abort', stop);
    }
  }

  private constructor(child: Child, settings: AcpSettings, waitMs: number) {
    this.#child = child;
    this.#settings = settings;
    this.#waitMs = waitMs;
    this.#connection = this.#connect();
  }

  get isAlive(): boolean {
    return !this.#connection.signal.aborted;
  }

  get about(): InitializeResponse {
    return this.#about!;
  }

  /** It takes what the person adds while it answers a prompt. */
  get steers(): boolean {
    const { steering } = (this.about._meta ?? {}) as { steering?: { supported?: unknown } };
    return steering?.supported === true;
  }

  /**
   * Until the returned function is called, what the program says and asks in the session goes to this client; afterwards
   * to the one before.
   */
  attach(sessionId: string, turn: TurnClient): () => void {
    const before = this.#clients.get(sessionId);
    this.#clients.set(sessionId, turn);
    return () => {
      if (before) this.#clients.set(sessionId, before);
      else this.#clients.delete(sessionId);
    };
  }

  /** Whether it has told of something that was said in a session before that was opened here, as it does when it loads one. */
  hasTold(sessionId: string): boolean {
    return this.#told.has(sessionId);
  }

  /** A request that has to be answered soon. */
  async ask<Result>(method: string, params: object): Promise<Result> {
    const late = new AbortController();
    const timeUp = sleep(this.#waitMs, undefined, { signal: late.signal, ref: false }).then(() => {
      throw new AcpFailure(say('program_failed.stopped', { seconds: Math.round(this.#waitMs / 1000) }));
    });
    const answer = this.request<Result>(method, params);
    answer.catch(() => undefined);
    try {
      return await Promise.race([answer, timeUp]);
    } finally {
      late.abort();
      timeUp.catch(() => undefined);
    }
  }

  async request<Result>(method: string, params: object): Promise<Result> {
    try {
      return await this.#connection.agent.request<Result>(method, params);
    } catch (error) {
      throw await this.#explain(error);
    }
  }

  notify(method: string, params: object): void {
    this.#connection.agent.notify(method, params).catch(() => undefined);
  }

  async close(): Promise<void> {
    this.#connection.close();
    await this.#child.stop();
  }

  /** `session/update` has to be the first: what is registered later is reached later, after the answer to a prompt. */
  #connect(): ClientConnection {
    const { session, fs, terminal, elicitation } = methods.client;
    const room = () => this.#roomOf();
    return client({ name: 'parley' })
      .onNotification(session.update, ({ params }) => this.#update(params))
      .onRequest(session.requestPermission, ({ params }) => this.#clientOf(params).permission(params))
      .onRequest(elicitation.create, ({ params }) => this.#question(params))
      .onRequest(fs.readTextFile, ({ params }) => this.#clientOf(params).files.read(params))
      .onRequest(fs.writeTextFile, ({ params }) => this.#clientOf(params).files.write(params))
      .onRequest(terminal.create, ({ params }) => this.#clientOf(params).terminals.create(params))
      .onRequest(terminal.output, ({ params }) => this.#clientOf(params).terminals.output(params))
      .onRequest(terminal.waitForExit, ({ params }) => this.#clientOf(params).terminals.waitForExit(params))
      .onRequest(terminal.kill, ({ params }) => this.#clientOf(params).terminals.kill(params))
      .onRequest(terminal.release, ({ params }) => this.#clientOf(params).terminals.release(params))
      .onNotification('*', () => undefined)
      .connect(messageStream(this.#child, room));
  }

  #roomOf(): Promise<void> | undefined {
    for (const turn of this.#clients.values()) return turn.room();
    return undefined;
  }

  #update({ sessionId, update }: SessionNotification): void {
    const turn = this.#clients.get(sessionId);
    if (turn) turn.update(update);
    else if (this.session?.id === sessionId) this.session.takeLate(update);
    else if (SAID.has(update.sessionUpdate)) this.#told.add(sessionId);
  }

  /** What is asked outside of a session, such as before a sign-in, has nowhere to be shown. */
  async #question(params: CreateElicitationRequest): Promise<CreateElicitationResponse> {
    const { sessionId } = params as { sessionId?: unknown };
    return typeof sessionId === 'string' ? this.#clientOf({ sessionId }).question(params) : { action: 'cancel' };
  }

  #clientOf({ sessionId }: { sessionId: string }): TurnClient {
    const turn = this.#clients.get(sessionId);
    if (!turn) throw RequestError.sessionNotFound(sessionId);
    return turn;
  }

  async #greet(): Promise<void> {
    const { authMethod, ownFiles } = this.#settings;
    const files = { readTextFile: !ownFiles, writeTextFile: !ownFiles };
    const capabilities = { fs: files, terminal: true, elicitation: { form: {} } };
    const clientInfo = { name: 'parley', title: 'Parley', version: '1' };
    const about = await this.ask<InitializeResponse>(methods.agent.initialize, {
      protocolVersion: PROTOCOL_VERSION,
      clientCapabilities: { ...capabilities, _meta: { terminal_output: true } },
      clientInfo,
    });
    if (about.protocolVersion !== PROTOCOL_VERSION)
      throw new AcpFailure(say('program_failed.version', { version: about.protocolVersion }));
    this.#about = about;
    if (authMethod !== undefined) await this.#signIn(authMethod);
  }

  async #signIn(methodId: string): Promise<void> {
    const known = this.about.authMethods ?? [];
    const method = known.find(({ id }) => id === methodId);
    if (!method || ('type' in method && method.type === 'terminal')) throw signInFailure(this.#settings, known);
    await this.ask(methods.agent.authenticate, { methodId });
  }

  /** A failure in words: of the program, if it has ended, otherwise as it describes it. */
  async #explain(error: unknown): Promise<AcpFailure> {
    if (error instanceof AcpFailure) return error;
    if (error instanceof RequestError && this.isAlive) return this.#describe(error);
    const reason = await lastWords(this.#child, error);
    return new AcpFailure(say('program_failed.ended', { reason }));
  }

  #describe(error: RequestError): AcpFailure {
    if (error.code === RequestError.authRequired().code)
      return signInFailure(this.#settings, this.#about?.authMethods ?? []);
    return new AcpFailure(say('program_failed.error', { reason: wordsOf(error) }), error.code);
  }
}

const SAID: ReadonlySet<string> = new Set(['user_message_chunk', 'agent_message_chunk', 'tool_call']);

async function startProgram(settings: AcpSettings, deps: AgentDeps, folder: string): Promise<Child> {
  try {
    return await startChild({
      command: settings.command,
      args: settings.args,
      cwd: folder,
      env: cleanEnvironment(deps.environment, settings.env()),
      registry: deps.processes,
      graceMs: GRACE_MS,
    });
  } catch (error) {
    if (error instanceof ProcessStartError)
      throw new AcpFailure(say('program_failed.start', { reason: error.message }));
    throw error;
  }
}

const MOST_WORDS = 500;

function wordsOf({ message, data }: RequestError): string {
  const details = typeof data === 'object' && data !== null && 'details' in data ? data.details : data;
  const more = typeof details === 'string' ? details : '';
  return [message, more].filter(Boolean).join(': ').slice(0, MOST_WORDS);
}

async function lastWords(child: Child, error: unknown): Promise<string> {
  const exit = await Promise.race([child.exited, sleep(LAST_WORDS_MS, undefined, { ref: false })]);
  const said = child.stderrTail().trim().split('\n').at(-1)?.slice(0, MOST_WORDS) ?? '';
  const how = child.failure?.message ?? (exit ? describeExit(exit) : error instanceof Error ? error.message : '');
  return [how, said].filter(Boolean).join(' ');
}

function describeExit({ code, signal }: ChildExit): string {
  return signal ? `It was killed by ${signal}.` : `It exited with code ${code}.`;
}
