import type { RemoteCard } from '../../contract/agents.ts';
import type { Db } from '../storage/tables.ts';
import { findCard, keepCard } from './store.ts';

type Card = RemoteCard['card'];

/** Cards of remote agents as they were approved: the definition only has their hash, which does not show what changed. */
export class ApprovedCards {
  readonly #db: Db;

  constructor(db: Db) {
    this.#db = db;
  }

  keep(hash: string, card: Card): Promise<void> {
    return keepCard(this.#db, { hash, card: JSON.stringify(card), approved_at: Date.now() });
  }

  /** Null for one that was approved elsewhere, such as in a file. */
  async find(hash: string): Promise<Card | null> {
    const card = await findCard(this.#db, hash);
    return card === undefined ? null : (JSON.parse(card) as Card);
  }
}
