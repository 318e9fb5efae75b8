import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { newId } from '../../contract/ids.ts';
import type { Part } from '../../contract/messages.ts';
import type { CreateSession } from '../../contract/sessions.ts';
import { Bus } from '../../server/events/bus.ts';
import { EventLog } from '../../server/events/log.ts';
import { removeDetached } from '../../server/sessions/detached.ts';
import { archiveMessages, insertCompaction, insertMessage } from '../../server/sessions/message-store.ts';
import { indexBatch } from '../../server/sessions/search-index-store.ts';
import { announce, createSession, removeSession } from '../../server/sessions/sessions.ts';
import { addSessionAgent, loadSession } from '../../server/sessions/store.ts';
import { openSqlite } from '../../server/storage/sqlite.ts';
import type { NewMessage } from '../../server/storage/tables.ts';

export const OWNER = 'ada';

/** One thing said. `after` is the index of what it follows; default the one before it. */
export interface Said {
  by?: string | null;
  guest?: boolean;
  interrupted?: boolean;
  text: string;
  parts?: Part[];
  after?: number | null;
  queued?: boolean;
  at?: number;
}

export interface Summarised {
  upto: number;
  summary: string;
}

/** A real database in a folder of its own, with sessions as turns would have left them. */
export class StoredSessions implements AsyncDisposable {
  readonly file: string;
  readonly log: EventLog;
  readonly #close: () => void;

  private constructor(file: string, log: EventLog, close: () => void) {
    this.file = file;
    this.log = log;
    this.#close = close;
  }

  static async open(): Promise<StoredSessions> {
    const folder = await mkdtemp(path.join(tmpdir(), 'parley-sessions-'));
    const file = path.join(folder, 'parley.db');
    const store = await openSqlite(file, { synchronous: 'normal' });
    return new StoredSessions(file, new EventLog(store.db, new Bus(fail)), store.close);
  }

  async remove(sessionId: string): Promise<void> {
    const write = this.log.write(async (tx) => removeSession(tx, await loadSession(tx.db, OWNER, sessionId)));
    await removeDetached(this.log, await write);
  }

  /** As the server does a little after messages were stored. */
  async index(): Promise<void> {
    while (await this.log.write(({ db }) => indexBatch(db)));
  }

  /** Messages in order, the last one being the head; then the compactions. */
  async add(wanted: CreateSession, said: Said[], summaries: Summarised[] = [], owner = OWNER) {
    return this.log.write(async (tx) => {
      const session = await createSession(tx, owner, wanted);
      const ids = said.map(() => newId());
      const parents = said.map((message, index) => (message.after === undefined ? index - 1 : (message.after ?? -1)));
      const path = pathTo(
        parents,
        said.findLastIndex((message) => !message.queued),
      );
      for (const [index, message] of said.entries()) {
        const parent_id = ids[parents[index]!] ?? null;
        const place = { id: ids[index]!, session_id: session.id, parent_id, on_path: path.has(index) ? 1 : 0 };
        await insertMessage(tx.db, {
          ...place,
          seq: message.queued ? null : ++session.message_seq,
          ...toRow(message, tx.now),
        });
        if (message.by) await addSessionAgent(tx.db, session.id, message.by, tx.now);
      }
      for (const { upto, summary } of summaries.filter(({ upto }) => path.has(upto))) {
        const id = newId();
        const marker = { id, session_id: session.id, agent_id: 'scribe', summary, created_at: tx.now, usage: null };
        await insertCompaction(tx.db, {
          ...marker,
          archived_count: upto + 1,
          upto_seq: upto + 1,
          last_message_id: ids[upto]!,
        });
        await archiveMessages(tx.db, session.id, upto + 1, id);
      }
      const head = Math.max(-1, ...path);
      Object.assign(session, { head_id: ids[head] ?? null, message_count: path.size, title: 'As it began' });
      session.agents = JSON.stringify([...new Set(said.flatMap((message) => message.by ?? []))]);
      return { session: await announce(tx, session), ids };
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#close();
    await rm(path.dirname(this.file), { recursive: true });
  }
}

function pathTo(parents: number[], head: number): Set<number> {
  const path = new Set<number>();
  for (let index = head; index >= 0; index = parents[index]!) path.add(index);
  return path;
}

function toRow(message: Said, now: number): Omit<NewMessage, 'id' | 'session_id' | 'parent_id' | 'on_path' | 'seq'> {
  return {
    turn_id: null,
    role: message.by === undefined ? 'user' : 'assistant',
    agent_id: message.by ?? null,
    guest: message.guest ? 1 : 0,
    status: message.queued ? 'queued' : message.interrupted ? 'interrupted' : 'complete',
    text: message.text,
    parts: message.parts ? JSON.stringify(message.parts) : null,
    compaction_id: null,
    request_hash: null,
    created_at: message.at ?? now,
  };
}

function fail(error: unknown): never {
  throw error;
}
