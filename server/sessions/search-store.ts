import { DatabaseSync } from 'node:sqlite';
import type { SearchHit } from '../../contract/sessions.ts';
import { UNNAMED_SESSION } from '../../contract/unnamed-session.ts';
import { QueryTooSlowError } from '../storage/query-failure.ts';
import type { ParsedSearch, Term } from './search-query.ts';
import { searchTag, termWords, toIndexed } from './search-tokens.ts';

export interface FoundMessage {
  rid: number;
  id: string;
  session_id: string;
  seq: number;
  role: string;
  agent_id: string | null;
  /** The agent that asked for the work that the message gives or reports on. */
  asker: string | null;
  /** The webhook whose request it was. */
  webhook: string | null;
  text: string;
  created_at: number;
  session_title: string;
}

type UnindexedMessage = Parameters<typeof toIndexed>[0];

export interface SearchPlan {
  owner: string;
  search: ParsedSearch;
  /** Only what is shown of this session. */
  within: string | null;
  limit: number;
  /** Only what was stored before this row. */
  beforeRid: number | null;
  /** Milliseconds of the clock; a statement that is still looking then gives up. */
  deadline: number;
}

const FOUND = `m.rid, m.id, m.session_id, m.seq, m.role, m.agent_id, m.text, m.created_at,
  CASE WHEN m.role <> 'assistant' AND m.agent_id IS NOT NULL AND m.parts IS NOT NULL THEN (SELECT value ->> 'from'
    FROM json_each(m.parts) WHERE value ->> 'type' = 'delegation' LIMIT 1) END AS asker,
  CASE WHEN m.role = 'user' AND m.agent_id IS NULL AND m.parts IS NOT NULL THEN (SELECT value ->> 'name'
    FROM json_each(m.parts) WHERE value ->> 'type' = 'webhook' LIMIT 1) END AS webhook,
  coalesce(s.name, s.title, '${UNNAMED_SESSION}') AS session_title`;

/** Owner, place and time. */
const CONDITIONS = `in_time(m.rid) AND m.seq IS NOT NULL AND s.owner = $owner
  AND m.created_at >= $after AND m.created_at < $before
  AND ($sessions IS NULL OR m.session_id IN (SELECT value FROM json_each($sessions)))
  AND ($within IS NULL OR (m.session_id = $within AND m.on_path = 1))`;

const INDEX = 'messages_fts';
/** An index in memory of the messages that are not in the stored one yet. */
const UNINDEXED = 'unindexed';

// CROSS JOIN keeps the order of the loops: the index walks from the newest match, and stops when the page is full.
const byWords = (index: string) => `SELECT ${FOUND} FROM ${index} f
  CROSS JOIN messages m ON m.rid = f.rowid CROSS JOIN sessions s ON s.id = m.session_id
  WHERE f.${index} MATCH $match AND f.rowid < $rid AND ${CONDITIONS} ORDER BY f.rowid DESC LIMIT $limit`;

const BY_TIME = `SELECT ${FOUND} FROM messages m CROSS JOIN sessions s ON s.id = m.session_id
  WHERE m.rid < $rid AND $match IS NULL AND ${CONDITIONS} ORDER BY m.rid DESC LIMIT $limit`;

const MAKE_UNINDEXED = `CREATE VIRTUAL TABLE temp.${UNINDEXED} USING fts5(text, tags, content='',
  tokenize='unicode61 remove_diacritics 2')`;
const SELECT_UNINDEXED = `SELECT rid, session_id, role, agent_id, text, parts FROM messages, search_progress
  WHERE rid > indexed_upto AND text <> ''`;
const FILL_UNINDEXED = `INSERT INTO ${UNINDEXED} (rowid, text, tags) VALUES ($rowid, $text, $tags)`;

const SESSIONS = `SELECT id FROM sessions WHERE owner = $owner AND id = $wanted
  UNION SELECT id FROM sessions WHERE owner = $owner AND name IS NOT NULL AND name = $wanted COLLATE NOCASE`;

/** Searches over a read-only connection of its own. Belongs into a thread of its own: every call blocks until done. */
export class MessageIndex {
  readonly #db: DatabaseSync;
  #deadline = 0;

  constructor(file: string) {
    this.#db = new DatabaseSync(file, { readOnly: true, timeout: 2000 });
    this.#db.exec('PRAGMA temp_store = MEMORY; PRAGMA cache_size = -8000');
    this.#db.function('in_time', { varargs: true }, () => this.#assertInTime());
    this.#db.exec(MAKE_UNINDEXED);
  }

  /**
   * Newest first, one at a time, so that a page of long texts is never in memory at once. All of it is read from one
   * state of the database; what is rolled back at the end is the index in memory.
   */
  *find(plan: SearchPlan): Generator<FoundMessage> {
    this.#deadline = plan.deadline;
    this.#db.exec('BEGIN');
    try {
      yield* this.#find(plan);
    } finally {
      this.#db.exec('ROLLBACK');
    }
  }

  *#find(plan: SearchPlan): Generator<FoundMessage> {
    const { owner, search, within } = plan;
    const sessions = this.#findSessions(owner, search.sessions);
    if (search.sessions.length > 0 && sessions.length === 0) return;
    const match = toMatch(search, sessions, within);
    const texts = match === null ? [BY_TIME] : [...(this.#indexRest() ? [byWords(UNINDEXED)] : []), byWords(INDEX)];
    let { limit } = plan;
    for (const text of texts) {
      for (const row of this.#select(text, plan, { match, sessions, limit })) {
        limit -= 1;
        yield row;
      }
    }
  }

  #select(
    text: string,
    { owner, search, within, beforeRid }: SearchPlan,
    { match, sessions, limit }: { match: string | null; sessions: string[]; limit: number },
  ): Iterable<FoundMessage> {
    // Prepared anew: a statement that has failed once would report that failure again when it is next used.
    const rows = this.#db.prepare(text).iterate({
      match,
      owner,
      rid: beforeRid ?? Number.MAX_SAFE_INTEGER,
      after: search.after ?? Number.MIN_SAFE_INTEGER,
      before: search.before ?? Number.MAX_SAFE_INTEGER,
      sessions: sessions.length > 0 ? JSON.stringify(sessions) : null,
      within,
      limit,
    });
    return rows as Iterable<unknown> as Iterable<FoundMessage>;
  }

  /** Indexes the messages that the stored index does not know yet, in memory; says whether there are any. */
  #indexRest(): boolean {
    const rows = this.#db.prepare(SELECT_UNINDEXED).all() as unknown as UnindexedMessage[];
    const insert = this.#db.prepare(FILL_UNINDEXED);
    for (const row of rows) insert.run({ ...toIndexed(row) });
    return rows.length > 0;
  }

  close(): void {
    this.#db.close();
  }

  #findSessions(owner: string, wanted: readonly string[]): string[] {
    const select = this.#db.prepare(SESSIONS);
    return wanted.flatMap((name) => select.all({ owner, wanted: name }).map((row) => String(row.id)));
  }

  /** Native code cannot be interrupted from outside; a function in the condition can end the statement. */
  #assertInTime(): number {
    if (Date.now() > this.#deadline) throw new QueryTooSlowError('The search takes too long.');
    return 1;
  }
}

/**
 * The index's own query language, from quoted strings only: nothing a person types can be read as an operator. Null when
 * there are only times to go by.
 */
function toMatch(search: ParsedSearch, sessionIds: readonly string[], within: string | null): string | null {
  const wanted = search.terms.map((term) => `text : ${quote(term)}`);
  const tags = [
    anyTag(search.agents.map((agent) => searchTag('agent', agent))),
    anyTag(search.from.map((speaker) => searchTag('from', speaker))),
    anyTag(sessionIds.map((id) => searchTag('session', id))),
    anyTag(within === null ? [] : [searchTag('session', within)]),
  ];
  const positive = [...wanted, ...tags.filter((tag) => tag !== null)].join(' AND ');
  if (!positive) return null;
  const excluded = search.excluded.map(quote).join(' OR ');
  return excluded ? `(${positive}) NOT text : (${excluded})` : positive;
}

/** Words hold letters and digits only, so nothing in them ends the quotation. */
function quote(term: Term): string {
  const { words, prefix } = termWords(term);
  return `"${words.join(' ')}"${prefix ? ' *' : ''}`;
}

function anyTag(tags: string[]): string | null {
  return tags.length === 0 ? null : `tags : (${tags.map((tag) => `"${tag}"`).join(' OR ')})`;
}

/** The hits with, for the next page, the rows they are. */
export interface SearchAnswer {
  hits: SearchHit[];
  rids: number[];
}
