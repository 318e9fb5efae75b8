import type { ChildOptions } from '../../../processes/child.ts';
import type { KeptProgram } from '../context.ts';
import { JsonProgram, type JsonRecord } from '../json-program.ts';
import { textAt } from '../records.ts';

/** Answers what the extension asks; the value is JSON text, null cancels the question. */
export type AnswerQuestion = (kind: string, value: JsonRecord) => Promise<unknown>;

/** Pi refuses a command. */
export class PiRefusal extends Error {}

/** `pi --mode rpc`: commands in, responses and events out. It is kept for one conversation. */
export class PiProgram implements KeptProgram {
  readonly variant: string;
  readonly conversation: string;
  #program!: JsonProgram;
  #lastId = 0;
  readonly #waiting = new Map<string, PromiseWithResolvers<JsonRecord>>();
  /** Set while a turn runs. */
  answer: AnswerQuestion | null = null;

  private constructor(variant: string, conversation: string) {
    this.variant = variant;
    this.conversation = conversation;
  }

  static async start(options: ChildOptions, variant: string, conversation: string): Promise<PiProgram> {
    const pi = new PiProgram(variant, conversation);
    pi.#program = await JsonProgram.start(options, (record) => pi.#onRecord(record));
    void pi.#program.ended.then((error) => {
      for (const waiting of pi.#waiting.values()) waiting.reject(error);
    });
    return pi;
  }

  get isAlive(): boolean {
    return this.#program.isAlive;
  }

  get records(): JsonProgram['records'] {
    return this.#program.records;
  }

  async command(type: string, fields: JsonRecord = {}): Promise<JsonRecord> {
    const id = String(++this.#lastId);
    const waiting = Promise.withResolvers<JsonRecord>();
    // The program may end before it was given the request, and then nothing waits for the answer.
    waiting.promise.catch(() => undefined);
    this.#waiting.set(id, waiting);
    try {
      await this.#program.send({ id, type, ...fields });
      return await waiting.promise;
    } catch (error) {
      throw this.isAlive ? error : await this.#program.ended;
    } finally {
      this.#waiting.delete(id);
    }
  }

  close(): Promise<void> {
    return this.#program.close();
  }

  #onRecord(record: JsonRecord): boolean {
    if (record.type === 'response') {
      this.#settle(record);
      return true;
    }
    if (record.type !== 'extension_ui_request') return false;
    if (DIALOGS.has(textAt(record, 'method') ?? '')) void this.#reply(record).catch(() => undefined);
    return true;
  }

  #settle(record: JsonRecord): void {
    const waiting = this.#waiting.get(textAt(record, 'id') ?? '');
    if (record.success === true) waiting?.resolve(record);
    else waiting?.reject(new PiRefusal(textAt(record, 'error') ?? 'Pi refused a command'));
  }

  /** Questions of other extensions are cancelled: there is no terminal to ask them in. */
  async #reply(record: JsonRecord): Promise<void> {
    const kind = /^parley:(\w+)$/.exec(textAt(record, 'title') ?? '')?.[1];
    const value = JSON.parse(textAt(record, 'placeholder') ?? 'null');
    const asked = kind === undefined || !this.answer ? Promise.resolve(null) : this.answer(kind, value);
    const answer = await asked.catch(() => null);
    const reply = answer === null ? { cancelled: true } : { value: JSON.stringify(answer) };
    await this.#program.send({ type: 'extension_ui_response', id: record.id, ...reply });
  }
}

const DIALOGS = new Set(['select', 'confirm', 'input', 'editor']);
