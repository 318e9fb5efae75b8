import type { ChildOptions } from '../../../processes/child.ts';
import type { KeptProgram } from '../context.ts';
import { JsonProgram, type JsonRecord } from '../json-program.ts';
import { recordAt, recordsAt, textAt } from '../records.ts';

/** Answers what Codex asks; rejects what is not supported. */
export type AnswerRequest = (method: string, params: JsonRecord) => Promise<JsonRecord>;

/** Codex refuses a request. */
export class CodexRefusal extends Error {}

/** `codex app-server`: JSON-RPC without its version field, requests both ways. It is kept for one conversation. */
export class CodexAppServer implements KeptProgram {
  readonly variant: string;
  /** The thread, once there is one. */
  conversation: string | null = null;
  #program!: JsonProgram;
  #lastId = 0;
  readonly #waiting = new Map<number, PromiseWithResolvers<JsonRecord>>();
  /**
   * What Codex wants to change in files, by the id of the item. Its request for permission does not repeat it, and comes to
   * us before the turn has read the notification.
   */
  readonly changes = new Map<string, readonly JsonRecord[]>();
  /** Set while a turn runs. */
  answer: AnswerRequest | null = null;

  private constructor(variant: string) {
    this.variant = variant;
  }

  static async start(options: ChildOptions, variant: string): Promise<CodexAppServer> {
    const codex = new CodexAppServer(variant);
    codex.#program = await JsonProgram.start(options, (record) => codex.#onRecord(record));
    void codex.#program.ended.then((error) => {
      for (const waiting of codex.#waiting.values()) waiting.reject(error);
    });
    return codex;
  }

  get isAlive(): boolean {
    return this.#program.isAlive;
  }

  /** The notifications. */
  get records(): JsonProgram['records'] {
    return this.#program.records;
  }

  async request(method: string, params: JsonRecord): Promise<JsonRecord> {
    const id = ++this.#lastId;
    const waiting = Promise.withResolvers<JsonRecord>();
    // The program may end before it was given the request, and then nothing waits for the answer.
    waiting.promise.catch(() => undefined);
    this.#waiting.set(id, waiting);
    try {
      await this.#program.send({ id, method, params });
      return await waiting.promise;
    } catch (error) {
      throw this.isAlive ? error : await this.#program.ended;
    } finally {
      this.#waiting.delete(id);
    }
  }

  notify(method: string): Promise<void> {
    return this.#program.send({ method });
  }

  close(): Promise<void> {
    return this.#program.close();
  }

  #onRecord(record: JsonRecord): boolean {
    const method = textAt(record, 'method');
    if (method === undefined) {
      this.#settle(record);
      return true;
    }
    if (record.id === undefined) {
      this.#noteChanges(recordAt(recordAt(record, 'params'), 'item'));
      return false;
    }
    void this.#reply(record, method).catch(() => undefined);
    return true;
  }

  #noteChanges(item: JsonRecord | undefined): void {
    if (item?.type === 'fileChange') this.changes.set(textAt(item, 'id') ?? '', recordsAt(item, 'changes'));
  }

  #settle(record: JsonRecord): void {
    const waiting = typeof record.id === 'number' ? this.#waiting.get(record.id) : undefined;
    const error = recordAt(record, 'error');
    if (error) waiting?.reject(new CodexRefusal(textAt(error, 'message') ?? 'Codex refused a request'));
    else waiting?.resolve(recordAt(record, 'result') ?? {});
  }

  async #reply({ id, params }: JsonRecord, method: string): Promise<void> {
    const asked =
      this.answer?.(method, (params ?? {}) as JsonRecord) ?? Promise.reject(new Error('no turn is running'));
    const answered = await asked.then(
      (result) => ({ result }),
      (error: Error) => ({ error: { code: -32_000, message: error.message } }),
    );
    await this.#program.send({ id, ...answered });
  }
}
