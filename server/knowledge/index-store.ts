import { DatabaseSync } from 'node:sqlite';
import { QueryTooSlowError } from '../storage/query-failure.ts';
import type { SearchTerms } from './search-terms.ts';
import { toMatch } from './search-terms.ts';

export interface KnowledgePlan {
  readonly owner: string;
  readonly sourceIds: readonly string[];
  readonly terms: SearchTerms;
  /** What the question means; null: it goes by words alone. */
  readonly meaning: { readonly model: string; readonly vector: Float32Array } | null;
  readonly limit: number;
  /** Milliseconds of the clock; a query that is still looking then gives up. */
  readonly deadline: number;
}

export interface RankedPassage {
  readonly rid: number;
  readonly byWords: boolean;
  readonly byMeaning: boolean;
}

export interface FoundRow {
  readonly source_id: string;
  readonly name: string;
  readonly number: number;
  readonly place: string;
  readonly text: string;
}

/** Of each way of searching, so many are merged. */
const MOST_RANKED = 100;
/** Some of them may be of passages that no longer count. */
const MOST_NEAREST = 300;
/** Of reciprocal rank fusion: how little the first ranks count more than those after them. */
const RANK_OFFSET = 60;

const COUNTING = `JOIN knowledge_sources s ON s.id = p.source_id AND s.generation = p.generation
  AND s.owner = $owner AND s.deleted_at IS NULL`;
const IN_SOURCES = 'p.source_id IN (SELECT value FROM json_each($sources))';

const BY_WORDS = `SELECT p.rid FROM knowledge_fts f CROSS JOIN knowledge_passages p ON p.rid = f.rowid ${COUNTING}
  WHERE f.knowledge_fts MATCH $match AND in_time(p.rid) AND ${IN_SOURCES} ORDER BY bm25(knowledge_fts, 1.0, 0.0), p.rid LIMIT $limit`;
const VECTORS = `SELECT v.rid, v.vector FROM json_each($sources) wanted
  CROSS JOIN knowledge_vectors v ON v.source_id = wanted.value AND v.model = $model`;
/** Asked only of the nearest: to ask it of every vector takes longer than to compare them. */
const DO_COUNT = `SELECT p.rid FROM knowledge_passages p ${COUNTING} WHERE p.rid IN (SELECT value FROM json_each($rids))`;
const ROW = `SELECT p.source_id, s.name, p.number, p.place, p.text FROM knowledge_passages p ${COUNTING} WHERE p.rid = $rid`;

/** Searches over a read-only connection of its own. Belongs into a thread of its own: every call blocks until done. */
export class KnowledgeIndex {
  readonly #db: DatabaseSync;
  #deadline = 0;

  constructor(file: string) {
    this.#db = new DatabaseSync(file, { readOnly: true, timeout: 2000 });
    this.#db.exec('PRAGMA temp_store = MEMORY; PRAGMA cache_size = -8000');
    this.#db.function('in_time', { varargs: true }, () => this.#assertInTime());
  }

  /** The best first. All of it is read from one state of the database. */
  find(plan: KnowledgePlan): { ranked: RankedPassage; row: FoundRow }[] {
    this.#deadline = plan.deadline;
    this.#db.exec('BEGIN');
    try {
      const ranked = fuse(this.#byWords(plan), this.#byMeaning(plan)).slice(0, plan.limit);
      const select = this.#db.prepare(ROW);
      return ranked.flatMap((one) => {
        const row = select.get({ owner: plan.owner, rid: one.rid });
        return row ? [{ ranked: one, row: row as unknown as FoundRow }] : [];
      });
    } finally {
      this.#db.exec('ROLLBACK');
    }
  }

  #byWords({ owner, sourceIds, terms }: KnowledgePlan): number[] {
    const match = toMatch(terms, owner, sourceIds);
    if (match === null) return [];
    const given = { match, owner, sources: JSON.stringify(sourceIds), limit: MOST_RANKED };
    return this.#db
      .prepare(BY_WORDS)
      .all(given)
      .map(({ rid }) => Number(rid));
  }

  #byMeaning({ owner, sourceIds, meaning }: KnowledgePlan): number[] {
    if (!meaning) return [];
    const best = new Best(MOST_NEAREST);
    const vectors = this.#db.prepare(VECTORS);
    vectors.setReturnArrays(true);
    const rows = vectors.iterate({ sources: JSON.stringify(sourceIds), model: meaning.model });
    for (const [rid, vector] of rows as Iterable<unknown> as Iterable<[number, Uint8Array]>) {
      this.#assertInTime();
      best.add(rid, similarity(meaning.vector, vector));
    }
    return this.#thoseThatCount(owner, best.rids()).slice(0, MOST_RANKED);
  }

  #thoseThatCount(owner: string, rids: readonly number[]): number[] {
    const rows = this.#db.prepare(DO_COUNT).all({ owner, rids: JSON.stringify(rids) });
    const counting = new Set(rows.map(({ rid }) => Number(rid)));
    return rids.filter((rid) => counting.has(rid));
  }

  /** Native code cannot be interrupted from outside; a function in the condition can end the statement. */
  #assertInTime(): number {
    if (Date.now() > this.#deadline) throw new QueryTooSlowError('The search takes too long.');
    return 1;
  }
}

/** Of vectors of length 1: the cosine of the angle between them. Lower than any when they do not compare. */
function similarity(wanted: Float32Array, bytes: Uint8Array): number {
  if (bytes.byteLength !== wanted.byteLength) return Number.NEGATIVE_INFINITY;
  const isAligned = bytes.byteOffset % 4 === 0;
  const aligned = isAligned ? bytes : bytes.slice();
  const vector = new Float32Array(aligned.buffer, aligned.byteOffset, wanted.length);
  let sum = 0;
  for (let index = 0; index < wanted.length; index++) sum += wanted[index]! * vector[index]!;
  return sum;
}

/** Keeps the best of many. */
class Best {
  readonly #most: number;
  #kept: { rid: number; score: number }[] = [];
  #least = Number.NEGATIVE_INFINITY;

  constructor(most: number) {
    this.#most = most;
  }

  add(rid: number, score: number): void {
    if (score <= this.#least || score === Number.NEGATIVE_INFINITY) return;
    this.#kept.push({ rid, score });
    if (this.#kept.length >= this.#most * 2) this.#cut();
  }

  rids(): number[] {
    this.#cut();
    return this.#kept.map(({ rid }) => rid);
  }

  #cut(): void {
    this.#kept = this.#kept.sort((a, b) => b.score - a.score || a.rid - b.rid).slice(0, this.#most);
    if (this.#kept.length === this.#most) this.#least = this.#kept.at(-1)!.score;
  }
}

/** Reciprocal rank fusion: what both ways of searching find comes first. */
function fuse(byWords: readonly number[], byMeaning: readonly number[]): RankedPassage[] {
  const scores = new Map<number, number>();
  for (const ranked of [byWords, byMeaning])
    for (const [rank, rid] of ranked.entries()) scores.set(rid, (scores.get(rid) ?? 0) + 1 / (RANK_OFFSET + rank));
  const [words, meanings] = [new Set(byWords), new Set(byMeaning)];
  return [...scores]
    .sort(([ridA, a], [ridB, b]) => b - a || ridA - ridB)
    .map(([rid]) => ({ rid, byWords: words.has(rid), byMeaning: meanings.has(rid) }));
}
