import path from 'node:path';
import { AppError } from '../../contract/errors.ts';
import type {
  KnowledgeHit,
  KnowledgeProblem,
  KnowledgeSearchQuery,
  KnowledgeSearchResults,
} from '../../contract/knowledge.ts';
import { say } from '../../contract/texts.ts';
import { type QueryOptions, QueryThread } from '../storage/query-thread.ts';
import type { Db } from '../storage/tables.ts';
import { EmbeddingFailure } from './embed.ts';
import type { Embedder } from './embedder.ts';
import type { KnowledgePlan } from './index-store.ts';
import { toProblem } from './problems.ts';
import { parseTerms } from './search-terms.ts';
import { selectSources } from './source-store.ts';
import type { KnowledgeUses } from './uses.ts';

// Beside this file, in the same form: sources as they are, or compiled.
const THREAD = new URL(`./knowledge-worker${path.extname(import.meta.url)}`, import.meta.url);
const OPTIONS: QueryOptions = { limitMs: 10_000, idleMs: 180_000, waiting: 100, thread: THREAD, memoryMb: 256 };

/** Finds passages by their words and, where embeddings are set up, by their meaning. */
export class KnowledgeSearch {
  readonly #db: Db;
  readonly #uses: KnowledgeUses;
  readonly #embedder: Embedder;
  readonly #thread: QueryThread<Omit<KnowledgePlan, 'deadline'>, KnowledgeHit[]>;

  constructor(file: string, db: Db, uses: KnowledgeUses, embedder: Embedder) {
    this.#db = db;
    this.#uses = uses;
    this.#embedder = embedder;
    this.#thread = new QueryThread(file, OPTIONS);
  }

  async search(owner: string, { q, agent, source, limit }: KnowledgeSearchQuery): Promise<KnowledgeSearchResults> {
    const sourceIds = await this.#searched(owner, agent, source);
    if (sourceIds.length === 0) return { hits: [], problem: null };
    const { meaning, problem } = await this.#meaningOf(q);
    const hits = await this.#thread.ask({ owner, sourceIds, terms: parseTerms(q), meaning, limit });
    return { hits, problem };
  }

  close(): Promise<void> {
    return this.#thread.close();
  }

  async #searched(owner: string, agent: string | undefined, source: string | undefined): Promise<string[]> {
    const ofAgent = agent === undefined ? null : this.#uses.sourcesOf(owner, agent);
    const all = await selectSources(this.#db, owner);
    const rows = all.filter(({ id }) => (!ofAgent || ofAgent.has(id)) && (source === undefined || id === source));
    if (source !== undefined && rows.length === 0)
      throw new AppError('knowledge_not_found', say('knowledge_not_found', { id: source }));
    return rows.flatMap(({ id, passages }) => (passages > 0 ? [id] : []));
  }

  /** Without a model, or when it fails, the search goes by words. */
  async #meaningOf(q: string): Promise<{ meaning: KnowledgePlan['meaning']; problem: KnowledgeProblem | null }> {
    try {
      return { meaning: await this.#embedder.question(q), problem: null };
    } catch (error) {
      if (!(error instanceof EmbeddingFailure)) throw error;
      return { meaning: null, problem: toProblem(error.text) };
    }
  }
}
