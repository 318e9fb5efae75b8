import path from 'node:path';
import { z } from 'zod';
import type { SearchQuery, SearchResults } from '../../contract/sessions.ts';
import { readCursor, writeCursor } from '../storage/cursor.ts';
import { type QueryOptions, QueryThread } from '../storage/query-thread.ts';
import { parseSearch } from './search-query.ts';
import type { SearchAnswer, SearchPlan } from './search-store.ts';

// Beside this file, in the same form: sources as they are, or compiled.
const THREAD = new URL(`./search-worker${path.extname(import.meta.url)}`, import.meta.url);
const DEFAULTS: QueryOptions = { limitMs: 5000, idleMs: 180_000, waiting: 100, thread: THREAD, memoryMb: 128 };
const Place = z.tuple([z.int()]);

/** Full-text search in messages. */
export class MessageSearch {
  readonly #thread: QueryThread<Omit<SearchPlan, 'deadline'>, SearchAnswer>;

  constructor(file: string, options: Partial<QueryOptions> = {}) {
    this.#thread = new QueryThread(file, { ...DEFAULTS, ...options });
  }

  async search(owner: string, query: SearchQuery): Promise<SearchResults> {
    const search = parseSearch(query.q, Date.now());
    const beforeRid = query.cursor === undefined ? null : readCursor(Place, query.cursor)[0];
    const within = query.session ?? null;
    const { hits, rids } = await this.#thread.ask({ owner, search, within, limit: query.limit + 1, beforeRid });
    const more = hits.length > query.limit;
    return { hits: hits.slice(0, query.limit), next: more ? writeCursor([rids[query.limit - 1]!]) : null };
  }

  close(): Promise<void> {
    return this.#thread.close();
  }
}
