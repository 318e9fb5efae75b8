import { DatabaseSync } from 'node:sqlite';

/** The same for the baseline, whose tables its own server has made. */
export function fillBare(file: string, work: (filler: BareFiller) => void): void {
  const db = new DatabaseSync(file);
  db.exec('PRAGMA synchronous = OFF; BEGIN');
  work(new BareFiller(db));
  db.exec('COMMIT; PRAGMA wal_checkpoint(TRUNCATE)');
  db.close();
}

export class BareFiller {
  readonly #conversation;
  readonly #message;

  constructor(db: DatabaseSync) {
    this.#conversation = db.prepare('INSERT INTO conversations (id, title, updated_at) VALUES (?, ?, ?)');
    this.#message = db.prepare('INSERT INTO messages (conversation, role, content) VALUES (?, ?, ?)');
  }

  addConversation(id: string, messages: number, textOf: (seq: number) => string): void {
    this.#conversation.run(id, `Session ${id}`, Date.now());
    for (let seq = 1; seq <= messages; seq++) this.#message.run(id, seq % 2 === 0 ? 'assistant' : 'user', textOf(seq));
  }
}
