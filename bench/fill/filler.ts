import { DatabaseSync } from 'node:sqlite';
import { LOCAL_OWNER } from '../../server/http/credentials.ts';
import { searchTags } from '../../server/sessions/search-tokens.ts';
import { openSqlite } from '../../server/storage/sqlite.ts';
import { AGENT } from '../sides/agents.ts';

export interface MadeUpMessage {
  id: string;
  sessionId: string;
  /** From 1. */
  seq: number;
  parentId: string | null;
  text: string;
  at: number;
}

const SESSION = `INSERT INTO sessions (id, owner, type, status, agent_id, sender, title, head_id, message_seq, message_count,
  snippet, agents, created_at, updated_at, last_activity_at)
  VALUES ($id, '${LOCAL_OWNER}', 'conversation', 'active', '${AGENT}', 'user', $title, $head, $count, $count,
  'What was said last, in a few words.', '["${AGENT}"]', $at, $at, $at)`;
const MESSAGE = `INSERT INTO messages (id, session_id, seq, parent_id, role, agent_id, status, text, created_at)
  VALUES ($id, $sessionId, $seq, $parentId, $role, $agent, 'complete', $text, $at)`;
const WORDS = 'INSERT INTO messages_fts (rowid, text, tags) VALUES ($rid, $text, $tags)';

/** Writes made-up sessions straight into a database, many times faster than by talking. */
export class Filler {
  readonly #session;
  readonly #message;
  readonly #words;

  private constructor(db: DatabaseSync) {
    this.#session = db.prepare(SESSION);
    this.#message = db.prepare(MESSAGE);
    this.#words = db.prepare(WORDS);
  }

  static async fill(file: string, work: (filler: Filler) => void): Promise<void> {
    const store = await openSqlite(file, { synchronous: 'normal' });
    store.close();
    const db = new DatabaseSync(file);
    db.exec('PRAGMA synchronous = OFF; BEGIN');
    work(new Filler(db));
    db.exec('UPDATE search_progress SET indexed_upto = (SELECT max(rid) FROM messages)');
    db.exec('COMMIT; PRAGMA wal_checkpoint(TRUNCATE)');
    db.close();
  }

  addSession(id: string, title: string, messages: number, head: string | null, at: number): void {
    this.#session.run({ id, title, head, count: messages, at });
  }

  addMessage({ id, sessionId, seq, parentId, text, at }: MadeUpMessage): void {
    const agent = seq % 2 === 0 ? AGENT : null;
    const role = agent ? 'assistant' : 'user';
    const { lastInsertRowid: rid } = this.#message.run({ id, sessionId, seq, parentId, role, agent, text, at });
    this.#words.run({
      rid,
      text,
      tags: searchTags({ session_id: sessionId, role, agent_id: agent, text, parts: null }),
    });
  }

  /** A session of that many messages, in which a person and an agent take turns. */
  addConversation(sessionId: string, messages: number, textOf: (seq: number) => string): void {
    const at = Date.now();
    const idOf = (seq: number) => (seq === 0 ? null : `${sessionId}-${seq}`);
    this.addSession(sessionId, `Session ${sessionId}`, messages, idOf(messages), at);
    for (let seq = 1; seq <= messages; seq++) {
      this.addMessage({ id: idOf(seq)!, sessionId, seq, parentId: idOf(seq - 1), text: textOf(seq), at });
    }
  }
}
