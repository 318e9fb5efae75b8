import type { AgentEnd } from '../../agent.ts';
import { type Opening, StateLost, type TextConversation, type TextEvent } from '../../text-agent.ts';
import { type CliContext, programFailure, programOptions, silent, toFailure } from '../context.ts';
import { JsonProgram, type JsonRecord, ProgramEnded } from '../json-program.ts';
import { recordAt, textAt } from '../records.ts';
import { ExecEvents } from './exec-events.ts';
import { RECONNECT_MS, sandboxOf } from './sandbox.ts';

/**
 * A conversation with a Codex that has no `app-server`: one program for each prompt. It says whole messages instead of
 * pieces, cannot ask for permission (its sandbox decides), and is not given Parley's tools.
 */
export async function openCodexExec(context: CliContext, opening: Opening): Promise<TextConversation> {
  return new ExecConversation(context, opening);
}

class ExecConversation implements TextConversation {
  readonly #context: CliContext;
  readonly #opening: Opening;
  #thread: string | null;
  #program: JsonProgram | null = null;

  constructor(context: CliContext, opening: Opening) {
    this.#context = context;
    this.#opening = opening;
    this.#thread = opening.state;
  }

  async *prompt(text: string): AsyncGenerator<TextEvent, AgentEnd, void> {
    const program = await this.#start(text);
    const events = new ExecEvents();
    let reconnectingSince: number | null = null;
    try {
      for (;;) {
        const record = await program.records.take();
        if (record.type === 'turn.completed') return yield* this.#complete(events, record);
        if (record.type === 'turn.failed') return this.#failed(textAt(recordAt(record, 'error'), 'message') ?? '');
        if (record.type === 'thread.started') yield this.#noteState(record);
        reconnectingSince = record.type === 'error' ? (reconnectingSince ?? Date.now()) : null;
        if (reconnectingSince !== null && Date.now() - reconnectingSince > RECONNECT_MS)
          throw silent(this.#context.agent, RECONNECT_MS);
        yield* events.read(record);
      }
    } catch (error) {
      throw this.#toError(error);
    } finally {
      await program.close();
    }
  }

  async interrupt(): Promise<void> {
    await this.#program?.close();
  }

  async close(): Promise<void> {
    await this.#program?.close();
  }

  /** The prompt goes in through the program's input, which is then closed: an open one would be waited for. */
  async #start(text: string): Promise<JsonProgram> {
    const { settings } = this.#context.agent;
    const { sandbox } = sandboxOf(settings.permissionMode, this.#opening.turn);
    const args = [
      ...['exec', '--json', '--skip-git-repo-check', '-s', sandbox],
      ...(settings.model === '' ? [] : ['-m', settings.model]),
      ...['-c', `developer_instructions=${JSON.stringify(this.#opening.instructions)}`],
      ...(this.#thread === null ? [] : ['resume', this.#thread]),
      '-',
    ];
    const options = await programOptions(this.#context, this.#opening, []);
    this.#program = await JsonProgram.start({ ...options, args: [...settings.args, ...args] }, () => false);
    await this.#program.sendLast(text);
    return this.#program;
  }

  #noteState(record: JsonRecord): TextEvent {
    this.#thread = textAt(record, 'thread_id') ?? this.#thread;
    return { type: 'state', token: this.#thread };
  }

  *#complete(events: ExecEvents, record: JsonRecord): Generator<TextEvent, AgentEnd> {
    yield* events.readUsage(recordAt(record, 'usage'));
    return { type: 'end', reason: 'complete', stopReason: 'stop' };
  }

  #failed(words: string): AgentEnd {
    const { error } = programFailure(this.#context.agent, words);
    return { type: 'end', reason: 'failed', stopReason: 'error', error };
  }

  #toError(error: unknown): unknown {
    const isGone = error instanceof ProgramEnded && /no rollout|not found|no such|unknown/i.test(error.stderr);
    if (isGone && this.#opening.state !== null && this.#thread === this.#opening.state) return new StateLost();
    return toFailure(this.#context.agent, error);
  }
}
