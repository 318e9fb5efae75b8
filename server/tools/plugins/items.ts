import { randomInt } from 'node:crypto';
import type { Db, PluginItemRow } from '../../storage/tables.ts';
import { type ToolContext, ToolFailure } from '../tool.ts';
import {
  countItems,
  deleteItem,
  findItem,
  findSameItem,
  type ItemScope,
  insertItem,
  type Sameness,
  saveItem,
  selectItemsBefore,
} from './item-store.ts';

/** What every plugin keeps of a thing, and `data`, which is its own. */
export interface Item<Data> {
  readonly id: string;
  readonly title: string;
  readonly text: string;
  readonly data: Data;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export type NewItem<Data> = Pick<Item<Data>, 'title' | 'text' | 'data'>;

export interface Added<Data> {
  readonly item: Item<Data>;
  readonly isNew: boolean;
}

export interface Whose {
  readonly owner: string;
  readonly holder?: string;
}

/** For whom a plugin keeps things, and which agent is at work. */
export type Keeping = Pick<ToolContext, 'owner' | 'agentId' | 'sessionId' | 'turnId'>;

/** Where a plugin keeps its things. */
export interface KeptItems<Data> {
  /** Gives back the one that is already there, where something says that it is the same. */
  add(keeping: Keeping, item: NewItem<Data>): Promise<Added<Data>>;
  get(keeping: Keeping, id: string): Promise<Item<Data>>;
  /** Newest first, in pages, so that a long list neither fills the memory nor holds up others. */
  all(keeping: Keeping, before?: string): AsyncIterable<Item<Data>>;
  change(keeping: Keeping, id: string, change: (item: Item<Data>) => NewItem<Data>): Promise<Item<Data>>;
  remove(keeping: Keeping, id: string): Promise<void>;
}

const MOST_ITEMS = 10_000;
const PAGE = 200;

/** The things of one plugin, always through their owner. */
export class Items<Data extends object> {
  readonly #db: Db;
  readonly #plugin: string;
  readonly #word: string;
  /** How many there were when they were last counted, and have been added since: at least as many as there are. */
  readonly #counts = new Map<string, number>();

  /** `word` is what one of them is called. */
  constructor(db: Db, plugin: string, word: string) {
    this.#db = db;
    this.#plugin = plugin;
    this.#word = word;
  }

  /** Gives back the one that is already there, where something says that it is the same. */
  async add(whose: Whose, item: NewItem<Data>, same?: [by: Sameness, value: string]): Promise<Added<Data>> {
    const scope = this.#scopeOf(whose);
    return this.#db.transaction().execute(async (tx) => {
      const known = same && (await findSameItem(tx, scope, ...same));
      if (known) return { item: toItem<Data>(known), isNew: false };
      await this.#assertRoom(tx, scope);
      const row = toRow(scope, item);
      await insertItem(tx, row);
      return { item: toItem<Data>(row), isNew: true };
    });
  }

  /** Counted anew only when there may be too many: counting reads every one of them. */
  async #assertRoom(tx: Parameters<typeof countItems>[0], scope: ItemScope): Promise<void> {
    const key = JSON.stringify(scope);
    const known = this.#counts.get(key);
    const count = known === undefined || known >= MOST_ITEMS ? await countItems(tx, scope) : known;
    if (count >= MOST_ITEMS) throw this.#full();
    this.#counts.set(key, count + 1);
  }

  async get(whose: Whose, id: string): Promise<Item<Data>> {
    const row = await findItem(this.#db, this.#scopeOf(whose), id);
    if (!row) throw this.#missing(id);
    return toItem(row);
  }

  /** Newest first, in pages, so that a long list neither fills the memory nor holds up others. */
  async *all(whose: Whose, before: string = LAST_ID): AsyncGenerator<Item<Data>> {
    const scope = this.#scopeOf(whose);
    for (let from: string | undefined = before; from !== undefined; ) {
      const rows = await selectItemsBefore(this.#db, scope, from, PAGE);
      for (const row of rows) yield toItem(row);
      from = rows.length === PAGE ? rows.at(-1)!.id : undefined;
    }
  }

  async change(whose: Whose, id: string, change: (item: Item<Data>) => NewItem<Data>): Promise<Item<Data>> {
    const scope = this.#scopeOf(whose);
    return this.#db.transaction().execute(async (tx) => {
      const row = await findItem(tx, scope, id);
      if (!row) throw this.#missing(id);
      const { title, text, data } = change(toItem(row));
      const changed = { ...row, title, text, data: JSON.stringify(data), updated_at: Date.now() };
      await saveItem(tx, changed);
      return toItem(changed);
    });
  }

  async remove(whose: Whose, id: string): Promise<void> {
    if (!(await deleteItem(this.#db, this.#scopeOf(whose), id))) throw this.#missing(id);
  }

  #scopeOf({ owner, holder = '' }: Whose): ItemScope {
    return { owner, plugin: this.#plugin, holder };
  }

  #missing(id: string): ToolFailure {
    return new ToolFailure(`No ${this.#word} with the ID ${id}.`, 'not_found');
  }

  #full(): ToolFailure {
    return new ToolFailure(
      `The limit of ${MOST_ITEMS} is reached. Delete some before you add another ${this.#word}.`,
      'full',
    );
  }
}

function toRow<Data>(scope: ItemScope, { title, text, data }: NewItem<Data>): PluginItemRow {
  const now = Date.now();
  return { ...scope, id: newItemId(now), title, text, data: JSON.stringify(data), created_at: now, updated_at: now };
}

function toItem<Data>(row: PluginItemRow): Item<Data> {
  const { id, title, text, created_at: createdAt, updated_at: updatedAt } = row;
  return { id, title, text, data: JSON.parse(row.data) as Data, createdAt, updatedAt };
}

const DIGITS = '0123456789abcdefghjkmnpqrstvwxyz';
const TIME_LENGTH = 9;
/** After every id there is. */
const LAST_ID = '~';

let last = 0;

/** Short enough for a model to repeat, and in the order in which they were made, also when the clock goes back. */
export function newItemId(now: number = Date.now()): string {
  last = Math.max(now, last + 1);
  return inDigits(last) + DIGITS[randomInt(DIGITS.length)];
}

function inDigits(time: number): string {
  let text = '';
  for (let rest = time; text.length < TIME_LENGTH; rest = Math.floor(rest / DIGITS.length))
    text = DIGITS[rest % DIGITS.length] + text;
  return text;
}
