import type { AgentEnd } from '../../agent.ts';
import { type Opening, StateLost, type TextConversation, type TextEvent } from '../../text-agent.ts';
import {
  type Borrowed,
  borrow,
  type CliContext,
  prepare,
  programFailure,
  programOptions,
  silent,
  toFailure,
} from '../context.ts';
import { type JsonRecord, ProgramEnded, variantOf } from '../json-program.ts';
import { recordAt, textAt } from '../records.ts';
import { CodexAppServer, CodexRefusal } from './app-server.ts';
import { answerCodex } from './approvals.ts';
import { CodexEvents } from './codex-events.ts';
import { openCodexExec } from './exec.ts';
import { NO_TOOLS, RECONNECT_MS, sandboxOf } from './sandbox.ts';

/** Opens a conversation with Codex through `codex app-server`; through `codex exec` where that is not known yet. */
export async function openCodex(context: CliContext, opening: Opening): Promise<TextConversation> {
  const options = await programOptions(context, opening, ['app-server']);
  const variant = variantOf(options);
  const borrowed = await borrow(context, opening, variant, () => CodexAppServer.start(options, variant));
  const folder = options.cwd ?? '';
  borrowed.program.answer = (method, params) =>
    answerCodex(opening.host, folder, borrowed.program.changes, method, params);
  try {
    await prepare(context, opening, borrowed, makeReady(context, opening, borrowed, folder));
  } catch (error) {
    if (error instanceof AppServerMissing) return openCodexExec(context, opening);
    throw error;
  }
  return new CodexConversation(context, borrowed);
}

/** Of a Codex that is too old. */
class AppServerMissing extends Error {}

/** Codex takes a command that it does not know for a prompt, and wants to open its terminal interface. */
const UNKNOWN_COMMAND = /unrecognized subcommand|unexpected argument|not a terminal/;

async function makeReady(
  { agent }: CliContext,
  opening: Opening,
  { program, isNew }: Borrowed<CodexAppServer>,
  folder: string,
): Promise<void> {
  program.records.clear();
  program.changes.clear();
  if (isNew) await initialize(program);
  // A thread that is loaded keeps its configuration, and with it the token of the last turn.
  else await program.request('thread/unsubscribe', { threadId: program.conversation });
  const settings = { ...sandboxOf(agent.settings.permissionMode, opening.turn), cwd: folder };
  const model = agent.settings.model === '' ? {} : { model: agent.settings.model };
  const effort = agent.settings.reasoningEffort;
  const tools = opening.turn.textOnly ? NO_TOOLS : mcpConfig(opening);
  const config = { ...tools, ...(effort && { model_reasoning_effort: effort }) };
  const params = { ...settings, ...model, config, developerInstructions: opening.instructions };
  program.conversation = await openThread(program, opening.state, params);
}

async function initialize(program: CodexAppServer): Promise<void> {
  try {
    await program.request('initialize', { clientInfo: { name: 'parley', title: 'Parley', version: '1' } });
    await program.notify('initialized');
  } catch (error) {
    const isUnknown = error instanceof ProgramEnded && UNKNOWN_COMMAND.test(error.stderr);
    throw isUnknown ? new AppServerMissing() : error;
  }
}

/** Parley's tools for this turn. A call may wait for the person, so it has a day. */
function mcpConfig({ host }: Opening): JsonRecord {
  if (host.tools.offered.length === 0) return {};
  const { url, token } = host.toolEndpoint();
  const parley = {
    url,
    http_headers: { Authorization: `Bearer ${token}` },
    default_tools_approval_mode: 'approve',
    required: true,
    startup_timeout_sec: 30,
    tool_timeout_sec: 86_400,
  };
  return { mcp_servers: { parley } };
}

async function openThread(program: CodexAppServer, state: string | null, params: JsonRecord): Promise<string> {
  try {
    const opened =
      state === null
        ? await program.request('thread/start', params)
        : await program.request('thread/resume', { threadId: state, excludeTurns: true, ...params });
    return textAt(recordAt(opened, 'thread'), 'id') ?? '';
  } catch (error) {
    const isGone = error instanceof CodexRefusal && /no rollout|not found|no such|unknown thread/i.test(error.message);
    throw state !== null && isGone ? new StateLost() : error;
  }
}

class CodexConversation implements TextConversation {
  readonly #context: CliContext;
  readonly #borrowed: Borrowed<CodexAppServer>;
  readonly #events = new CodexEvents();
  #turnId: string | null = null;
  #hasState = false;
  /** Since when Codex has been trying to reach its provider again. */
  #reconnectingSince: number | null = null;

  constructor(context: CliContext, borrowed: Borrowed<CodexAppServer>) {
    this.#context = context;
    this.#borrowed = borrowed;
  }

  async *prompt(text: string): AsyncGenerator<TextEvent, AgentEnd, void> {
    const { program } = this.#borrowed;
    try {
      const begun = await program.request('turn/start', { threadId: program.conversation, input: toInput(text) });
      this.#turnId = textAt(recordAt(begun, 'turn'), 'id') ?? null;
      if (!this.#hasState) yield this.#noteState();
      for (;;) {
        const { method, params } = await this.#next();
        if (method === 'turn/completed') return this.#toEnd(recordAt(params, 'turn'));
        if (method === 'error') yield* this.#noteError(params);
        else yield* this.#read(method, params);
      }
    } catch (error) {
      throw toFailure(this.#context.agent, error);
    } finally {
      this.#turnId = null;
    }
  }

  async steer(text: string): Promise<boolean> {
    const { program } = this.#borrowed;
    if (this.#turnId === null) return false;
    const params = { threadId: program.conversation, input: toInput(text), expectedTurnId: this.#turnId };
    return program.request('turn/steer', params).then(
      () => true,
      () => false,
    );
  }

  async interrupt(): Promise<void> {
    const { program } = this.#borrowed;
    if (this.#turnId === null) throw new Error('no turn to interrupt');
    await program.request('turn/interrupt', { threadId: program.conversation, turnId: this.#turnId });
  }

  async close(broken: boolean): Promise<void> {
    this.#borrowed.program.answer = null;
    await this.#borrowed.giveBack(broken);
  }

  #noteState(): TextEvent {
    this.#hasState = true;
    return { type: 'state', token: this.#borrowed.program.conversation };
  }

  /** The next notification of this thread; those of its sub-agents are about threads of their own. */
  async #next(): Promise<{ method: string; params: JsonRecord }> {
    for (;;) {
      const record = await this.#takeInTime();
      const params = recordAt(record, 'params') ?? {};
      const thread = textAt(params, 'threadId');
      if (thread === undefined || thread === this.#borrowed.program.conversation)
        return { method: textAt(record, 'method') ?? '', params };
    }
  }

  async #takeInTime(): Promise<JsonRecord> {
    const { records } = this.#borrowed.program;
    if (this.#reconnectingSince === null) return records.take();
    const late = Promise.withResolvers<never>();
    const left = this.#reconnectingSince + RECONNECT_MS - Date.now();
    const timer = setTimeout(() => late.reject(silent(this.#context.agent, RECONNECT_MS)), left);
    try {
      return await Promise.race([records.take(), late.promise]);
    } finally {
      clearTimeout(timer);
    }
  }

  *#read(method: string, params: JsonRecord): Generator<TextEvent> {
    const events = this.#events.read(method, params);
    if (events.length > 0) this.#reconnectingSince = null;
    yield* events;
  }

  *#noteError(params: JsonRecord): Generator<TextEvent> {
    if (params.willRetry !== true) return;
    this.#reconnectingSince ??= Date.now();
    yield { type: 'retry', code: 'model_unreachable', waitMs: 1000 };
  }

  #toEnd(turn: JsonRecord | undefined): AgentEnd {
    switch (turn?.status) {
      case 'completed':
        return { type: 'end', reason: 'complete', stopReason: 'stop' };
      case 'interrupted':
        return { type: 'end', reason: 'cancelled', stopReason: 'cancelled' };
      default: {
        const words = textAt(recordAt(turn, 'error'), 'message') ?? 'the turn failed';
        return {
          type: 'end',
          reason: 'failed',
          stopReason: 'error',
          error: programFailure(this.#context.agent, words).error,
        };
      }
    }
  }
}

function toInput(text: string): JsonRecord[] {
  return [{ type: 'text', text, text_elements: [] }];
}
