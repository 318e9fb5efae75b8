import { createHash } from 'node:crypto';
import { type Child, type ChildOptions, startChild } from '../../processes/child.ts';
import type { Kept } from '../pool.ts';
import { RecordQueue } from './record-queue.ts';

/** A record of a program's output, as far as it can be trusted: it is an object. */
export type JsonRecord = Readonly<Record<string, unknown>>;

/** Programs write whole files and images into one record. */
const MAX_LINE_BYTES = 32_000_000;
const GRACE_MS = 1000;
const MOST_WORDS = 2000;

/** The program has ended, or was stopped because it no longer spoke the protocol. */
export class ProgramEnded extends Error {
  /** The end of what it wrote to its error output. */
  readonly stderr: string;
  readonly #breach: string | undefined;

  constructor(breach: string | undefined, stderr: string) {
    super(breach ?? 'The program ended in the middle of its work');
    this.name = 'ProgramEnded';
    this.stderr = stderr;
    this.#breach = breach;
  }

  /** For the person: why it was stopped, and what it wrote itself. */
  get words(): string {
    return [this.#breach, this.stderr.slice(-MOST_WORDS)].filter(Boolean).join(' ') || this.message;
  }
}

/**
 * A program that speaks JSON, one record per line, both ways. What answers a request is handed to `onRecord` by the
 * protocol's own class; everything else waits in `records` until the turn reads it.
 */
export class JsonProgram implements Kept {
  readonly #child: Child;
  readonly #onRecord: (record: JsonRecord) => boolean;
  readonly records = new RecordQueue<JsonRecord>();
  readonly #ended = Promise.withResolvers<ProgramEnded>();
  #isAlive = true;

  private constructor(child: Child, onRecord: (record: JsonRecord) => boolean) {
    this.#child = child;
    this.#onRecord = onRecord;
    void this.#read();
  }

  /** `onRecord` says whether it has taken the record. */
  static async start(options: ChildOptions, onRecord: (record: JsonRecord) => boolean): Promise<JsonProgram> {
    const child = await startChild({ maxLineBytes: MAX_LINE_BYTES, graceMs: GRACE_MS, ...options });
    return new JsonProgram(child, onRecord);
  }

  get isAlive(): boolean {
    return this.#isAlive;
  }

  /** Resolves with the reason once the program has ended. */
  get ended(): Promise<ProgramEnded> {
    return this.#ended.promise;
  }

  /** Rejects with the `ProgramEnded` when the program no longer listens. */
  send(record: JsonRecord): Promise<void> {
    return this.#write(`${JSON.stringify(record)}\n`);
  }

  /** For a program that reads one text and begins once its input is closed. */
  async sendLast(text: string): Promise<void> {
    await this.#write(text);
    this.#child.closeInput();
  }

  async #write(text: string): Promise<void> {
    try {
      await this.#child.write(text);
    } catch {
      await this.close();
      throw await this.ended;
    }
  }

  async close(): Promise<void> {
    this.#isAlive = false;
    await this.#child.stop();
  }

  async #read(): Promise<void> {
    let breach: string | undefined;
    try {
      for await (const line of this.#child.lines) await this.#take(line);
    } catch (error) {
      breach = (error as Error).message;
    }
    this.#isAlive = false;
    await this.#child.stop();
    const ended = new ProgramEnded(breach, this.#child.stderrTail().trim());
    this.records.end(ended);
    this.#ended.resolve(ended);
  }

  /** Programs print a line of their own now and then: what is no JSON object is not for us. */
  #take(line: string): Promise<void> | void {
    if (!line.startsWith('{')) return;
    const record = parse(line);
    if (record !== null && !this.#onRecord(record)) return this.records.push(record);
  }
}

function parse(line: string): JsonRecord | null {
  try {
    return JSON.parse(line) as JsonRecord;
  } catch {
    return null;
  }
}

/** What two programs must have in common to be taken for each other: file, arguments, variables, folder, and the rest. */
export function variantOf({ command, args, cwd, env }: ChildOptions, ...rest: unknown[]): string {
  return createHash('sha256')
    .update(JSON.stringify([command, args, cwd, env, rest]))
    .digest('base64');
}
