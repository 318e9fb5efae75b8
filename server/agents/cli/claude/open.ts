import { randomUUID } from 'node:crypto';
import type { AgentEnd } from '../../agent.ts';
import { type Opening, StateLost, type TextConversation, type TextEvent } from '../../text-agent.ts';
import {
  type Borrowed,
  borrow,
  type CliContext,
  prepare,
  programFailure,
  programOptions,
  toFailure,
} from '../context.ts';
import { type JsonRecord, ProgramEnded, variantOf } from '../json-program.ts';
import { numberAt, textAt } from '../records.ts';
import { ClaudeEvents } from './claude-events.ts';
import { type Chosen, ClaudeProgram } from './claude-program.ts';
import { answerRequest } from './permissions.ts';

/** Streams records both ways, asks us for permission, repeats our messages once it reads them, loads only our tools. */
const ARGUMENTS = [
  '-p',
  ...['--input-format', 'stream-json', '--output-format', 'stream-json', '--verbose', '--include-partial-messages'],
  ...['--permission-prompt-tool', 'stdio', '--replay-user-messages'],
  ...['--strict-mcp-config', '--allowedTools', 'mcp__parley', '--system-prompt-snapshot', 'off'],
];

const VARIABLES = { DISABLE_AUTOUPDATER: '1' };

/** Opens a conversation with Claude Code: with the program that holds it already, or with a new one. */
export async function openClaude(context: CliContext, opening: Opening): Promise<TextConversation> {
  const { settings } = context.agent;
  const chosen: Chosen = { model: settings.model, permissionMode: settings.permissionMode };
  const args = [...ARGUMENTS, ...effort(settings.reasoningEffort), ...(opening.turn.textOnly ? ['--tools', ''] : [])];
  const options = await programOptions(context, opening, args, VARIABLES);
  const variant = variantOf(options, opening.instructions);
  const borrowed = await borrow(context, opening, variant, () => {
    const conversation = opening.state ?? randomUUID();
    const own = [opening.state === null ? '--session-id' : '--resume', conversation, ...chosenArguments(chosen)];
    return ClaudeProgram.start(
      { ...options, args: [...args, ...own, ...settings.args] },
      { variant, conversation, chosen },
    );
  });
  await prepare(context, opening, borrowed, makeReady(borrowed, opening, chosen));
  return new ClaudeConversation(context, opening, borrowed, options.cwd ?? '');
}

function chosenArguments({ model, permissionMode }: Chosen): string[] {
  return [
    ...(model === '' ? [] : ['--model', model]),
    ...(permissionMode === 'default' ? [] : ['--permission-mode', permissionMode]),
  ];
}

function effort(level: string | undefined): string[] {
  if (level === undefined) return [];
  return ['--effort', level === 'none' || level === 'minimal' ? 'low' : level];
}

async function makeReady(
  { program, isNew }: Borrowed<ClaudeProgram>,
  { instructions, turn, host, state }: Opening,
  chosen: Chosen,
): Promise<void> {
  try {
    program.records.clear();
    if (isNew) await program.request('initialize', { hooks: null, appendSystemPrompt: instructions });
    else await program.choose(chosen);
    const { url, token } = host.toolEndpoint();
    const parley = { type: 'http', url, headers: { Authorization: `Bearer ${token}` }, alwaysLoad: true };
    const isOffered = !turn.textOnly && host.tools.offered.length > 0;
    if (isOffered || !isNew) await program.request('mcp_set_servers', { servers: isOffered ? { parley } : {} });
  } catch (error) {
    throw state !== null && isUnknownConversation(error) ? new StateLost() : error;
  }
}

function isUnknownConversation(error: unknown): boolean {
  return error instanceof ProgramEnded && /no conversation found/i.test(error.stderr);
}

class ClaudeConversation implements TextConversation {
  readonly #context: CliContext;
  readonly #borrowed: Borrowed<ClaudeProgram>;
  #hasState = false;
  readonly #events = new ClaudeEvents();

  constructor(context: CliContext, { host }: Opening, borrowed: Borrowed<ClaudeProgram>, folder: string) {
    this.#context = context;
    this.#borrowed = borrowed;
    borrowed.program.answer = (request) => answerRequest(host, folder, request);
  }

  async *prompt(text: string): AsyncGenerator<TextEvent, AgentEnd, void> {
    const { program } = this.#borrowed;
    try {
      await program.say(text);
      for (;;) {
        const record = await program.records.take();
        if (!this.#hasState) yield this.#noteState();
        if (record.type !== 'result') {
          yield* this.#events.read(record);
          continue;
        }
        yield* this.#events.readResult(record, program.cost);
        program.cost = numberAt(record, 'total_cost_usd');
        if (record.is_error === true || !program.hasUnread) return this.#toEnd(record);
      }
    } catch (error) {
      throw toFailure(this.#context.agent, error);
    }
  }

  /** From its first record on, Claude Code has the prompt. */
  #noteState(): TextEvent {
    this.#hasState = true;
    return { type: 'state', token: this.#borrowed.program.conversation };
  }

  async steer(text: string): Promise<boolean> {
    await this.#borrowed.program.say(text);
    return true;
  }

  async interrupt(): Promise<void> {
    await this.#borrowed.program.request('interrupt');
  }

  async close(broken: boolean): Promise<void> {
    this.#borrowed.program.answer = null;
    await this.#borrowed.giveBack(broken);
  }

  /** A failed request to the model is a "success" with `is_error`. */
  #toEnd(result: JsonRecord): AgentEnd {
    if (result.is_error !== true)
      return { type: 'end', reason: 'complete', stopReason: stopReasonOf(textAt(result, 'stop_reason')) };
    const errors = Array.isArray(result.errors) ? result.errors.join(' ') : '';
    const words = textAt(result, 'result') || errors || textAt(result, 'subtype') || '';
    const { error } = programFailure(this.#context.agent, words);
    return { type: 'end', reason: 'failed', stopReason: 'error', error };
  }
}

function stopReasonOf(reason: string | undefined): string {
  if (reason === 'max_tokens') return 'length';
  return reason === undefined || reason === 'end_turn' ? 'stop' : reason;
}
