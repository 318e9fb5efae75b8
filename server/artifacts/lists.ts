import { z } from 'zod';
import type { Author } from '../../contract/artifacts.ts';
import { AppError } from '../../contract/errors.ts';
import type {
  AddItems,
  CreateList,
  ItemList,
  ItemPage,
  ItemPageQuery,
  List,
  ListItem,
  MoveItems,
  PatchItem,
  PatchList,
  RemovedItems,
} from '../../contract/lists.ts';
import { say } from '../../contract/texts.ts';
import { readCursor, writeCursor } from '../storage/cursor.ts';
import { patchArtifact } from './change-artifact.ts';
import { type ArtifactLog, loadArtifact } from './changing.ts';
import { createArtifact } from './create.ts';
import { findItem, selectItems } from './item-store.ts';
import { addItems, moveItems, patchItem, removeItem } from './items.ts';
import { requireItem } from './places.ts';
import { fieldIdsOf, toItem, toList } from './shapes.ts';

/** What people and agents do with lists and their items. */
export class Lists {
  readonly #log: ArtifactLog;

  constructor(log: ArtifactLog) {
    this.#log = log;
  }

  create(owner: string, by: Author, { id, name, ...content }: CreateList): Promise<List> {
    return this.#log.write(owner, by, async (changing) =>
      toList(await createArtifact(changing, { id, kind: 'list', name, content })),
    );
  }

  async get(owner: string, id: string): Promise<List> {
    return toList(await loadArtifact(this.#log.db, owner, id, 'list'));
  }

  patch(owner: string, by: Author, id: string, { base, ...wanted }: PatchList): Promise<List> {
    return this.#log.write(owner, by, async (changing) => {
      const edit = await changing.open(id, 'list');
      await patchArtifact(edit, wanted, base);
      return toList(edit.row);
    });
  }

  async items(owner: string, id: string, { after, done, limit }: z.output<typeof ItemPageQuery>): Promise<ItemPage> {
    const { db } = this.#log;
    const list = await loadArtifact(db, owner, id, 'list');
    const from = after === undefined ? '' : readCursor(Place, after)[0];
    const wanted = done === undefined ? null : done === 'true';
    const rows = await selectItems(db, owner, id, { after: from, done: wanted, limit: limit + 1 });
    const fields = fieldIdsOf(list);
    const page = rows.slice(0, limit);
    return {
      items: page.map((row) => toItem(row, fields)),
      next: rows.length > limit ? writeCursor([page.at(-1)!.rank]) : null,
      version: list.version,
    };
  }

  async item(owner: string, listId: string, id: string): Promise<ListItem> {
    const list = await loadArtifact(this.#log.db, owner, listId, 'list');
    const item = await findItem(this.#log.db, owner, id);
    if (item?.list_id === listId && item.deleted_at === null) return toItem(item, fieldIdsOf(list));
    throw new AppError('artifact_item_not_found', say('artifact_item_not_found', { id }));
  }

  /** In whatever list it is; undefined when there is none. */
  async findItem(owner: string, id: string): Promise<ListItem | undefined> {
    const item = await findItem(this.#log.db, owner, id);
    if (!item || item.deleted_at !== null) return undefined;
    return toItem(item, fieldIdsOf(await loadArtifact(this.#log.db, owner, item.list_id, 'list')));
  }

  /** Every item in order, read in pages, so that a long list neither fills the memory nor holds up others. */
  async *all(owner: string, id: string): AsyncGenerator<ListItem> {
    for (let after: string | undefined; ; ) {
      const page = await this.items(owner, id, { after, limit: 500 });
      yield* page.items;
      if (page.next === null) return;
      after = page.next;
    }
  }

  add(owner: string, by: Author, listId: string, wanted: AddItems): Promise<ItemList> {
    return this.#log.write(owner, by, async (changing) => {
      const edit = await changing.open(listId, 'list');
      const rows = await addItems(edit, wanted);
      const fields = fieldIdsOf(edit.row);
      return { items: rows.map((row) => toItem(row, fields)), version: edit.row.version };
    });
  }

  patchItem(owner: string, by: Author, listId: string, id: string, patch: PatchItem): Promise<ListItem> {
    return this.#log.write(owner, by, async (changing) => {
      const edit = await changing.open(listId, 'list');
      return toItem(await patchItem(edit, id, patch), fieldIdsOf(edit.row));
    });
  }

  move(owner: string, by: Author, listId: string, wanted: MoveItems): Promise<ItemList> {
    return this.#log.write(owner, by, async (changing) => {
      const from = await changing.open(listId, 'list');
      const to = await changing.open(wanted.toListId ?? listId, 'list');
      const rows = await moveItems(from, to, wanted);
      const fields = fieldIdsOf(to.row);
      return { items: rows.map((row) => toItem(row, fields)), version: to.row.version };
    });
  }

  /** All of them or none. */
  remove(owner: string, by: Author, listId: string, ids: readonly string[]): Promise<RemovedItems> {
    return this.#log.write(owner, by, async (changing) => {
      const edit = await changing.open(listId, 'list');
      const versions: number[] = [];
      for (const id of new Set(ids)) versions.push(await removeItem(edit, await requireItem(edit, id)));
      return { versions };
    });
  }
}

const Place = z.tuple([z.string()]);
