/**
 * Fills a database with made-up sessions, for measuring: `node bench/fill-messages.ts <file> [messages]`. Words follow
 * Zipf's law, so that there are common and rare ones; `word0` is in about every message, `rare<n>` in one of each 10,000.
 */
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { searchTags } from '../server/sessions/search-tag.ts';
import { openSqlite } from '../server/storage/sqlite.ts';

export const FILL_OWNER = 'local';
const AGENTS = ['wisp/concierge', 'wisp/scheduler', 'coder', 'reviewer', 'researcher'];
const VOCABULARY = 30_000;
const PER_SESSION = 50;

export async function fillMessages(file: string, count: number): Promise<void> {
  const store = await openSqlite(file, { synchronous: 'normal' });
  store.close();
  const db = new DatabaseSync(file);
  db.exec('PRAGMA synchronous = OFF; BEGIN');
  const insert = inserters(db);
  for (let index = 0; index < count; index++) insert(index, count);
  db.exec('COMMIT; PRAGMA wal_checkpoint(TRUNCATE)');
  db.close();
}

function inserters(db: DatabaseSync): (index: number, count: number) => void {
  const session = db.prepare(`INSERT INTO sessions (id, owner, type, status, agent_id, sender, title, message_seq,
    message_count, created_at, updated_at, last_activity_at) VALUES (?, ?, 'conversation', 'active', ?, 'user', ?, ?, ?, ?, ?, ?)`);
  const message =
    db.prepare(`INSERT INTO messages (id, session_id, seq, parent_id, role, agent_id, status, text, created_at)
    VALUES (?, ?, ?, ?, ?, ?, 'complete', ?, ?)`);
  const words = db.prepare('INSERT INTO messages_fts (rowid, text, tags) VALUES (?, ?, ?)');
  const start = Date.now();
  return (index, count) => {
    const session_id = `s${Math.floor(index / PER_SESSION)}`;
    const seq = (index % PER_SESSION) + 1;
    // A message a minute, up to now.
    const at = start - (count - index) * 60_000;
    const agent_id = seq % 2 === 0 ? AGENTS[index % AGENTS.length]! : null;
    const role = agent_id ? 'assistant' : 'user';
    if (seq === 1)
      session.run(session_id, FILL_OWNER, AGENTS[0]!, `Session ${session_id}`, PER_SESSION, PER_SESSION, at, at, at);
    const text = makeText(index);
    const row = message.run(`m${index}`, session_id, seq, seq > 1 ? `m${index - 1}` : null, role, agent_id, text, at);
    words.run(row.lastInsertRowid, text, searchTags({ session_id, role, agent_id }));
  };
}

function makeText(index: number): string {
  const words = Array.from({ length: 8 + (index % 12) }, () => `word${Math.floor(VOCABULARY ** Math.random()) - 1}`);
  if (index % 10_000 === 0) words.push(`rare${index / 10_000}`);
  return words.join(' ');
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const [file, count] = process.argv.slice(2);
  if (!file) throw new Error('Name the file to fill.');
  await fillMessages(file, Number(count ?? 1_000_000));
}
