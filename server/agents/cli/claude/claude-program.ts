import { randomUUID } from 'node:crypto';
import type { PermissionMode } from '../../../../contract/agent-settings.ts';
import type { ChildOptions } from '../../../processes/child.ts';
import type { KeptProgram } from '../context.ts';
import { JsonProgram, type JsonRecord } from '../json-program.ts';
import { recordAt, textAt } from '../records.ts';

/** Answers what Claude Code asks: whether it may use a tool. */
export type AnswerRequest = (request: JsonRecord) => Promise<JsonRecord>;

/** What the running turn has chosen; the program is told when it changes. */
export interface Chosen {
  readonly model: string;
  readonly permissionMode: PermissionMode;
}

type Waiting = PromiseWithResolvers<JsonRecord>;

/**
 * A `claude` that reads prompts and control requests from its input, for any number of turns of one conversation. Control
 * requests go both ways and are answered by their id.
 */
export class ClaudeProgram implements KeptProgram {
  readonly variant: string;
  readonly conversation: string;
  #chosen: Chosen;
  #program!: JsonProgram;
  readonly #waiting = new Map<string, Waiting>();
  /** Prompts that were sent and that Claude Code has not begun with. */
  readonly #unread = new Set<string>();
  /** Of all prompts so far. */
  cost = 0;
  /** Set while a turn runs. */
  answer: AnswerRequest | null = null;

  private constructor(variant: string, conversation: string, chosen: Chosen) {
    this.variant = variant;
    this.conversation = conversation;
    this.#chosen = chosen;
  }

  static async start(
    options: ChildOptions,
    { variant, conversation, chosen }: { variant: string; conversation: string; chosen: Chosen },
  ): Promise<ClaudeProgram> {
    const claude = new ClaudeProgram(variant, conversation, chosen);
    claude.#program = await JsonProgram.start(options, (record) => claude.#onRecord(record));
    void claude.#program.ended.then((error) => {
      for (const waiting of claude.#waiting.values()) waiting.reject(error);
    });
    return claude;
  }

  get isAlive(): boolean {
    return this.#program.isAlive;
  }

  get records(): JsonProgram['records'] {
    return this.#program.records;
  }

  /** A prompt that was sent while Claude Code worked is answered by itself when it came too late for that. */
  get hasUnread(): boolean {
    return this.#unread.size > 0;
  }

  async say(text: string): Promise<void> {
    const uuid = randomUUID();
    this.#unread.add(uuid);
    const message = { role: 'user', content: [{ type: 'text', text }] };
    await this.#program.send({ type: 'user', message, parent_tool_use_id: null, session_id: '', uuid });
  }

  /** A control request; rejects when Claude Code refuses it or ends. */
  async request(subtype: string, fields: JsonRecord = {}): Promise<JsonRecord> {
    const id = randomUUID();
    const waiting = Promise.withResolvers<JsonRecord>();
    // The program may end before it was given the request, and then nothing waits for the answer.
    waiting.promise.catch(() => undefined);
    this.#waiting.set(id, waiting);
    try {
      await this.#program.send({ type: 'control_request', request_id: id, request: { subtype, ...fields } });
      return await waiting.promise;
    } catch (error) {
      throw this.isAlive ? error : await this.#program.ended;
    } finally {
      this.#waiting.delete(id);
    }
  }

  async choose(chosen: Chosen): Promise<void> {
    const { model, permissionMode } = this.#chosen;
    this.#chosen = chosen;
    if (model !== chosen.model) await this.request('set_model', { model: chosen.model || 'default' });
    if (permissionMode !== chosen.permissionMode)
      await this.request('set_permission_mode', { mode: chosen.permissionMode });
  }

  close(): Promise<void> {
    return this.#program.close();
  }

  #onRecord(record: JsonRecord): boolean {
    switch (record.type) {
      case 'control_response':
        this.#settle(recordAt(record, 'response'));
        return true;
      case 'control_request':
        void this.#reply(record).catch(() => undefined);
        return true;
      case 'user':
        // Also as a record: a message that is repeated to us has been read.
        this.#unread.delete(textAt(record, 'uuid') ?? '');
        return record.isReplay === true;
      default:
        return false;
    }
  }

  #settle(response: JsonRecord | undefined): void {
    const waiting = this.#waiting.get(textAt(response, 'request_id') ?? '');
    if (response?.subtype === 'success') waiting?.resolve(recordAt(response, 'response') ?? {});
    else waiting?.reject(new Error(textAt(response, 'error') ?? 'Claude Code refused a control request'));
  }

  async #reply(record: JsonRecord): Promise<void> {
    const request = recordAt(record, 'request') ?? {};
    const response = await (this.answer?.(request) ?? Promise.reject(new Error('no turn is running'))).then(
      (answered) => ({ subtype: 'success', request_id: record.request_id, response: answered }),
      (error: Error) => ({ subtype: 'error', request_id: record.request_id, error: error.message }),
    );
    await this.#program.send({ type: 'control_response', response });
  }
}
