import { setImmediate } from 'node:timers/promises';
import type { EmbeddingSettings } from '../../contract/embeddings.ts';
import type { KnowledgePlace } from '../../contract/knowledge.ts';
import type { Text } from '../../contract/texts.ts';
import type { Environment } from '../config/environment.ts';
import type { EventLog } from '../events/log.ts';
import { EmbeddingFailure, type EmbeddingModel, embed, openEmbeddings } from './embed.ts';
import { newestPassage, saveVector, selectUnembedded, type UnembeddedRow } from './passage-store.ts';

const RETRY_MS = 30_000;
const MOST_RETRY_MS = 10 * 60_000;
/** So many passages are looked through at once. */
const LOOKED_THROUGH = 2000;
/** A question that waits longer is answered by words alone. */
const QUESTION_MS = 10_000;

export interface EmbedderDeps {
  readonly log: EventLog;
  readonly env: Environment;
  settings(): EmbeddingSettings | undefined;
  /** Passages of these sources have got vectors. */
  embedded(sourceIds: readonly string[]): void;
  report(problem: string, error: unknown): void;
}

/**
 * Gives passages their vectors, some at a time, where a model for it is set up. What is missing is known from the rows:
 * after a crash, a failure or a change of the model it goes on with what has no vector of the model.
 */
export class Embedder {
  readonly #deps: EmbedderDeps;
  readonly #stop = new AbortController();
  #working: Promise<void> | undefined;
  #isWanted = false;
  #retry: NodeJS.Timeout | undefined;
  #retryMs = RETRY_MS;
  #problem: Text | null = null;

  constructor(deps: EmbedderDeps) {
    this.#deps = deps;
  }

  /** Null when none is set up, or something of it is missing. */
  get model(): EmbeddingModel | null {
    try {
      return this.#open();
    } catch {
      return null;
    }
  }

  /** Why passages cannot be embedded now. */
  get problem(): Text | null {
    try {
      return this.#open() && this.#problem;
    } catch (error) {
      return (error as EmbeddingFailure).text;
    }
  }

  /** There may be passages without vectors, or another model. */
  wake(): void {
    if (this.#stop.signal.aborted) return;
    clearTimeout(this.#retry);
    this.#isWanted = true;
    this.#working ??= this.#work()
      .catch((error) => this.#failed(error))
      .finally(() => {
        this.#working = undefined;
        if (this.#isWanted) this.wake();
      });
  }

  /** What a question means; null when no model is set up. Rejects with `EmbeddingFailure`. */
  async question(text: string): Promise<{ model: string; vector: Float32Array } | null> {
    const model = this.#open();
    if (!model) return null;
    const { settings } = model;
    const patient = { ...model, settings: { ...settings, timeoutMs: Math.min(settings.timeoutMs, QUESTION_MS) } };
    const [vector] = await embed(patient, [text], this.#stop.signal);
    return { model: model.key, vector: vector! };
  }

  async close(): Promise<void> {
    this.#stop.abort();
    clearTimeout(this.#retry);
    await this.#working;
  }

  #open(): EmbeddingModel | null {
    const settings = this.#deps.settings();
    return settings ? openEmbeddings(settings, this.#deps.env) : null;
  }

  async #work(): Promise<void> {
    this.#isWanted = false;
    const { db } = this.#deps.log;
    const newest = await newestPassage(db);
    for (let after = 0; after < newest && !this.#stop.signal.aborted; await setImmediate()) {
      const model = this.#open();
      if (!model) return;
      const upto = after + LOOKED_THROUGH;
      const rows = await selectUnembedded(db, model.key, after, upto, model.settings.batch);
      if (rows.length > 0) await this.#embed(model, rows);
      after = rows.at(-1)?.rid ?? upto;
    }
    this.#problem = null;
    this.#retryMs = RETRY_MS;
  }

  async #embed(model: EmbeddingModel, rows: readonly UnembeddedRow[]): Promise<void> {
    const { log, embedded } = this.#deps;
    const vectors = await embed(model, rows.map(toText), this.#stop.signal);
    await log.write(async (tx) => {
      for (const [index, { rid, source_id }] of rows.entries())
        await saveVector(tx.db, { rid, source_id, model: model.key, vector: toBytes(vectors[index]!) });
    });
    this.#problem = null;
    embedded([...new Set(rows.map(({ source_id }) => source_id))]);
  }

  #failed(error: unknown): void {
    if (this.#stop.signal.aborted) return;
    if (error instanceof EmbeddingFailure) this.#problem = error.text;
    else this.#deps.report('passages could not be embedded', error);
    this.#isWanted = false;
    this.#deps.embedded([]);
    this.#retry = setTimeout(() => this.wake(), this.#retryMs).unref();
    this.#retryMs = Math.min(this.#retryMs * 2, MOST_RETRY_MS);
  }
}

function toText({ name, place, text }: { name: string; place: string; text: string }): string {
  const { headings } = JSON.parse(place) as KnowledgePlace;
  return [name, ...headings, text].join('\n');
}

function toBytes({ buffer, byteOffset, byteLength }: Float32Array): Uint8Array {
  return new Uint8Array(buffer as ArrayBuffer, byteOffset, byteLength);
}
