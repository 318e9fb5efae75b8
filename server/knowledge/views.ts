import type { EmbeddingSettings } from '../../contract/embeddings.ts';
import type { KnowledgeList, KnowledgeSource } from '../../contract/knowledge.ts';
import { toTextRef } from '../../contract/texts.ts';
import type { Db, KnowledgeSourceRow } from '../storage/tables.ts';
import type { Embedder } from './embedder.ts';
import { countVectors } from './passage-store.ts';
import { toSource } from './shapes.ts';
import { selectUses, selectUsesOf } from './source-store.ts';

/** Sources as people see them: with who has them, and how far they have come. */
export class SourceViews {
  readonly #db: Db;
  readonly #embedder: Embedder;
  readonly #fractionOf: (sourceId: string) => number | null;

  constructor(db: Db, embedder: Embedder, fractionOf: (sourceId: string) => number | null) {
    this.#db = db;
    this.#embedder = embedder;
    this.#fractionOf = fractionOf;
  }

  async one(row: KnowledgeSourceRow): Promise<KnowledgeSource> {
    const uses = await selectUsesOf(this.#db, row.id);
    const embedded = await this.#embedded([row.id]);
    return toSource(row, { uses, fraction: this.#fractionOf(row.id), embedded: embedded(row.id) });
  }

  async all(owner: string, rows: readonly KnowledgeSourceRow[]): Promise<KnowledgeSource[]> {
    const uses = Map.groupBy(await selectUses(this.#db, owner), ({ source_id }) => source_id);
    const embedded = await this.#embedded(rows.map(({ id }) => id));
    return rows.map((row) => {
      const facts = { uses: uses.get(row.id) ?? [], fraction: this.#fractionOf(row.id), embedded: embedded(row.id) };
      return toSource(row, facts);
    });
  }

  embeddings(settings: EmbeddingSettings | undefined): KnowledgeList['embeddings'] {
    if (!settings) return null;
    const { problem } = this.#embedder;
    return { model: settings.model, problem: problem?.message ?? null, ...(problem && { text: toTextRef(problem) }) };
  }

  async #embedded(ids: readonly string[]): Promise<(id: string) => number | null> {
    const { model } = this.#embedder;
    if (!model) return () => null;
    const rows = await countVectors(this.#db, model.key, JSON.stringify(ids));
    const counts = new Map(rows.map(({ source_id, count }) => [source_id, count]));
    return (id) => counts.get(id) ?? 0;
  }
}
