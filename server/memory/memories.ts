import type { z } from 'zod';
import type { Author } from '../../contract/artifacts.ts';
import { AppError } from '../../contract/errors.ts';
import {
  type CreateMemory,
  type ExportedMemories,
  type ImportedMemories,
  type Memory,
  type MemoryChangeList,
  type MemoryList,
  type MemoryQuery,
  MOST_MEMORIES,
  type PatchMemory,
} from '../../contract/memory.ts';
import { say } from '../../contract/texts.ts';
import type { EventLog, Tx } from '../events/log.ts';
import type { Db, MemoryChangeRow, MemoryRow } from '../storage/tables.ts';
import { newItemId } from '../tools/plugins/items.ts';
import { isAmong, matcherOf, takePage } from '../tools/plugins/listing.ts';
import {
  countMemories,
  deleteOldChanges,
  eraseMemory,
  findMemory,
  findSameText,
  insertChange,
  insertMemory,
  type ShownMemoryRow,
  saveMemory,
  selectChanges,
  selectForgotten,
  selectOfAll,
  selectOfHolder,
} from './memory-store.ts';
import { toChange, toExported, toMemory } from './shapes.ts';

const KEPT_CHANGES = 100;
const PAGE = 200;
/** After every id there is. */
const LAST_ID = '~';
const FORGOTTEN_AT_ONCE = 500;

export interface MemoryDeps {
  readonly log: EventLog;
  /** Throws unless there is such an agent. */
  requireAgent(agentId: string): void;
  /** What an agent remembers has changed. */
  changed(owner: string, holder: string): void;
}

export type NewText = Pick<CreateMemory, 'topic' | 'text' | 'tags'>;

/** What agents remember across sessions: each its own, which people can see and change. */
export class Memories {
  readonly #deps: MemoryDeps;

  constructor(deps: MemoryDeps) {
    this.#deps = deps;
  }

  async list(owner: string, { agent, q = '', tag, before, limit }: z.output<typeof MemoryQuery>): Promise<MemoryList> {
    const matches = matcherOf(q);
    const passes = (memory: Memory) => matches(memory.topic, memory.text, ...memory.tags) && isAmong(memory.tags, tag);
    const page = await takePage(this.all(owner, agent, before), passes, limit);
    return { memories: page.items, isComplete: !page.hasMore };
  }

  /** Newest first, in pages, so that a long list neither fills the memory nor holds up others. */
  async *all(owner: string, holder?: string, before: string = LAST_ID): AsyncGenerator<Memory> {
    const { db } = this.#deps.log;
    for (let from: string | undefined = before; from !== undefined; ) {
      const rows: ShownMemoryRow[] =
        holder === undefined
          ? await selectOfAll(db, owner, from, PAGE)
          : await selectOfHolder(db, owner, holder, from, PAGE);
      for (const row of rows) yield toMemory(row);
      from = rows.length === PAGE ? rows.at(-1)!.id : undefined;
    }
  }

  async get(owner: string, id: string): Promise<Memory> {
    return toMemory(await load(this.#deps.log.db, owner, id));
  }

  async create(owner: string, { agentId, ...text }: CreateMemory, by: Author): Promise<Memory> {
    this.#deps.requireAgent(agentId);
    return this.get(owner, (await this.add(owner, agentId, text, by)).id);
  }

  /** The same text is remembered once. */
  add(
    owner: string,
    holder: string,
    wanted: NewText,
    by: Author,
    within?: Tx,
  ): Promise<{ id: string; isNew: boolean }> {
    const add = async (tx: Tx) => {
      const known = await findSameText(tx.db, owner, holder, wanted.text);
      if (known !== undefined) return { id: known, isNew: false };
      await assertRoom(tx, owner, holder);
      const row = newRow(tx, owner, holder, wanted, by);
      await insertMemory(tx.db, row);
      await record(tx, row, 'created', by);
      return { id: row.id, isNew: true };
    };
    return this.#write(owner, holder, add, within);
  }

  async patch(owner: string, id: string, { version, ...changes }: PatchMemory, by: Author): Promise<Memory> {
    await this.#change(owner, id, by, 'changed', (row) => {
      if (row.deleted_at !== null) throw notFound(id);
      if (version !== undefined && version !== row.version) throw new AppError('memory_changed', say('memory_changed'));
      const { topic = row.topic, text = row.text, tags } = changes;
      return { ...row, topic, text, tags: tags ? JSON.stringify(tags) : row.tags };
    });
    return this.get(owner, id);
  }

  /** It can be restored for a while. `holder`: only from the memory of that agent. */
  async delete(owner: string, id: string, by: Author, holder?: string): Promise<void> {
    await this.#change(owner, id, by, 'deleted', (row) => {
      if (row.deleted_at !== null || (holder !== undefined && row.holder !== holder)) throw notFound(id);
      return { ...row, deleted_at: Date.now() };
    });
  }

  /** For good, with its history. */
  async erase(owner: string, id: string): Promise<void> {
    const { holder } = await load(this.#deps.log.db, owner, id);
    await this.#write(owner, holder, async ({ db }) => {
      await load(db, owner, id);
      await eraseMemory(db, owner, id);
    });
  }

  async restore(owner: string, id: string, by: Author): Promise<Memory> {
    await this.#change(owner, id, by, 'restored', (row) => ({ ...row, deleted_at: null }));
    return this.get(owner, id);
  }

  async changes(owner: string, id: string): Promise<MemoryChangeList> {
    const { db } = this.#deps.log;
    await load(db, owner, id);
    return { changes: (await selectChanges(db, owner, id, KEPT_CHANGES)).map(toChange) };
  }

  async export(owner: string, holder?: string): Promise<ExportedMemories> {
    const memories = [];
    for await (const memory of this.all(owner, holder)) memories.push(toExported(memory));
    return { format: 'parley-memories', version: 1, memories: memories.reverse() };
  }

  /** All of them or none; what is there word for word stays as it is. */
  async import(owner: string, { memories }: ExportedMemories): Promise<ImportedMemories> {
    const by: Author = { kind: 'import', agentId: null, sessionId: null, turnId: null };
    let imported = 0;
    await this.#deps.log.write(async (tx) => {
      for (const { agentId, topic, text, tags, createdAt, updatedAt } of memories) {
        if ((await findSameText(tx.db, owner, agentId, text)) !== undefined) continue;
        await assertRoom(tx, owner, agentId);
        const times = { created_at: Date.parse(createdAt), updated_at: Date.parse(updatedAt) };
        const row = { ...newRow(tx, owner, agentId, { topic, text, tags }, by), ...times };
        await insertMemory(tx.db, row);
        await record(tx, row, 'created', by);
        imported += 1;
      }
      const holders = new Set(memories.map(({ agentId }) => agentId));
      tx.afterwards.push(() => holders.forEach((holder) => void this.#deps.changed(owner, holder)));
    });
    return { imported, known: memories.length - imported };
  }

  /** What was deleted before a time is deleted for good. Returns how many there were. */
  async eraseForgotten(before: number): Promise<number> {
    return this.#deps.log.write(async ({ db }) => {
      const rows = await selectForgotten(db, before, FORGOTTEN_AT_ONCE);
      for (const { owner, id } of rows) await eraseMemory(db, owner, id);
      return rows.length;
    });
  }

  #write<T>(owner: string, holder: string, work: (tx: Tx) => Promise<T>, within?: Tx): Promise<T> {
    return this.#deps.log.write((tx) => {
      tx.afterwards.push(() => this.#deps.changed(owner, holder));
      return work(tx);
    }, within);
  }

  async #change(
    owner: string,
    id: string,
    by: Author,
    type: MemoryChangeRow['type'],
    work: (row: ShownMemoryRow) => ShownMemoryRow,
  ): Promise<void> {
    await this.#deps.log.write(async (tx) => {
      const row = work(await load(tx.db, owner, id));
      const changed = { ...row, version: row.version + 1, updated_at: tx.now, updated_by: JSON.stringify(by) };
      await saveMemory(tx.db, changed);
      await record(tx, changed, type, by);
      await deleteOldChanges(tx.db, owner, id, KEPT_CHANGES);
      tx.afterwards.push(() => this.#deps.changed(owner, row.holder));
    });
  }
}

async function load(db: Db, owner: string, id: string): Promise<ShownMemoryRow> {
  const row = await findMemory(db, owner, id);
  if (row) return row;
  throw notFound(id);
}

function notFound(id: string): AppError {
  return new AppError('memory_not_found', say('memory_not_found', { id }));
}

async function assertRoom(tx: Tx, owner: string, holder: string): Promise<void> {
  if ((await countMemories(tx.db, owner, holder)) < MOST_MEMORIES) return;
  throw new AppError('too_many_memories', say('too_many_memories', { limit: MOST_MEMORIES }));
}

function newRow({ now }: Tx, owner: string, holder: string, { topic, text, tags }: NewText, by: Author): MemoryRow {
  return {
    owner,
    id: newItemId(),
    holder,
    topic,
    text,
    tags: JSON.stringify(tags),
    version: 1,
    created_at: now,
    created_by: JSON.stringify(by),
    updated_at: now,
    updated_by: JSON.stringify(by),
    deleted_at: null,
  };
}

function record(tx: Tx, row: MemoryRow, type: MemoryChangeRow['type'], by: Author): Promise<void> {
  const { owner, id, version, topic, text, tags } = row;
  const author = JSON.stringify(by);
  return insertChange(tx.db, { owner, memory_id: id, version, type, topic, text, tags, author, at: tx.now });
}
