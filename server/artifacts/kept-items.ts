import type { ArtifactPlugin } from '../../contract/artifacts.ts';
import { AppError } from '../../contract/errors.ts';
import type { ListField } from '../../contract/lists.ts';
import type { ArtifactRow, Db, ListItemRow } from '../storage/tables.ts';
import type { Added, Item, Keeping, KeptItems, NewItem } from '../tools/plugins/items.ts';
import { ToolFailure } from '../tools/tool.ts';
import { findArtifact, findPluginArtifact } from './artifact-store.ts';
import { authorOf } from './authors.ts';
import type { ArtifactEdit, ArtifactLog, Changing } from './changing.ts';
import { createArtifact } from './create.ts';
import { itemFieldsOf } from './item-fields.ts';
import { findItem } from './item-store.ts';
import { addItems, removeItem, writeItem } from './items.ts';
import { selectItemOfUrl, selectItemsBefore } from './kept-store.ts';
import { type Fields, mergeFields } from './merge-fields.ts';

const PAGE = 200;

/** How a plugin's things are items of a list. */
export interface KeptAs<Data> {
  readonly plugin: ArtifactPlugin;
  readonly listName: string;
  readonly fields: readonly ListField[];
  /** What one of them is called. */
  readonly word: string;
  /** Fields of the item, by the names that its history uses. */
  toFields(item: NewItem<Data>): Fields;
  toThing(item: ListItemRow): NewItem<Data>;
  /** Two with the same address are the same thing. */
  urlOf?(item: NewItem<Data>): string;
}

/** The things of one plugin as items of one list, which is made with the first of them. */
export class KeptListItems<Data extends object> implements KeptItems<Data> {
  readonly #log: ArtifactLog;
  readonly #as: KeptAs<Data>;

  constructor(log: ArtifactLog, as: KeptAs<Data>) {
    this.#log = log;
    this.#as = as;
  }

  add(keeping: Keeping, item: NewItem<Data>): Promise<Added<Data>> {
    return this.#write(keeping, async (changing) => {
      const edit = await this.#openOrCreate(changing);
      const url = this.#as.urlOf?.(item);
      const [known] = url === undefined ? [] : await selectItemOfUrl(changing.db, keeping.owner, edit.row.id, url);
      if (known) return { item: this.#toItem(known), isNew: false };
      const [row] = await addItems(edit, { items: [this.#toNewItem(item)] });
      return { item: this.#toItem(row!), isNew: true };
    });
  }

  async get({ owner }: Keeping, id: string): Promise<Item<Data>> {
    return this.#toItem(await this.#require(this.#log.db, owner, await this.#find(this.#log.db, owner), id));
  }

  async *all({ owner }: Keeping, before?: string): AsyncGenerator<Item<Data>> {
    const { db } = this.#log;
    const list = await this.#find(db, owner);
    if (!list) return;
    const known = before === undefined ? undefined : await findItem(db, owner, before);
    let place = known ? { at: known.created_at, id: known.id } : { at: Number.MAX_SAFE_INTEGER, id: '' };
    for (;;) {
      const rows = await selectItemsBefore(db, owner, list.id, place.at, place.at, place.id, PAGE);
      for (const row of rows) yield this.#toItem(row);
      const last = rows.at(-1);
      if (!last || rows.length < PAGE) return;
      place = { at: last.created_at, id: last.id };
    }
  }

  change(keeping: Keeping, id: string, change: (item: Item<Data>) => NewItem<Data>): Promise<Item<Data>> {
    return this.#write(keeping, async (changing) => {
      const { edit, item } = await this.#openItem(changing, id);
      const wanted = this.#as.toFields(change(this.#toItem(item)));
      await writeItem(edit, item, mergeFields(itemFieldsOf(item), wanted, () => undefined).changed);
      return this.#toItem(item);
    });
  }

  remove(keeping: Keeping, id: string): Promise<void> {
    return this.#write(keeping, async (changing) => {
      const { edit, item } = await this.#openItem(changing, id);
      await removeItem(edit, item);
    });
  }

  #write<T>(keeping: Keeping, work: (changing: Changing) => Promise<T>): Promise<T> {
    return this.#log.write(keeping.owner, authorOf(keeping), work, keeping.tx).catch(failTool);
  }

  #find(db: Db, owner: string): Promise<ArtifactRow | undefined> {
    return findPluginArtifact(db, owner, this.#as.plugin);
  }

  async #openOrCreate(changing: Changing): Promise<ArtifactEdit> {
    const { db, owner } = changing;
    const { plugin, listName, fields } = this.#as;
    const list = await this.#find(db, owner);
    if (list) return changing.open(list.id, 'list');
    // The plugin's own name as the id, unless it is in use.
    const id = (await findArtifact(db, owner, plugin)) ? undefined : plugin;
    const row = await createArtifact(changing, {
      id,
      kind: 'list',
      plugin,
      name: listName,
      content: { description: '', fields },
    });
    return changing.open(row.id, 'list');
  }

  async #openItem(changing: Changing, id: string): Promise<{ edit: ArtifactEdit; item: ListItemRow }> {
    const list = await this.#find(changing.db, changing.owner);
    const item = await this.#require(changing.db, changing.owner, list, id);
    return { edit: await changing.open(item.list_id, 'list'), item };
  }

  async #require(db: Db, owner: string, list: ArtifactRow | undefined, id: string): Promise<ListItemRow> {
    const item = list && (await findItem(db, owner, id));
    if (item && item.list_id === list.id && item.deleted_at === null) return item;
    throw new ToolFailure(`No ${this.#as.word} with the ID ${id}.`, 'not_found');
  }

  #toNewItem(item: NewItem<Data>) {
    const { title, notes, due, tags, doneAt, ...values } = this.#as.toFields(item);
    const filled = Object.entries(values).filter(([, value]) => value !== null);
    return {
      title: String(title),
      notes: String(notes),
      due: (due ?? null) as string | null,
      tags: tags as string[],
      values: Object.fromEntries(filled.map(([field, value]) => [field.slice('values.'.length), value as string])),
      done: typeof doneAt === 'string',
    };
  }

  #toItem(row: ListItemRow): Item<Data> {
    const { id, created_at: createdAt, updated_at: updatedAt } = row;
    return { id, createdAt, updatedAt, ...this.#as.toThing(row) };
  }
}

export function failTool(error: unknown): never {
  throw error instanceof AppError ? new ToolFailure(error.message, error.code) : error;
}
