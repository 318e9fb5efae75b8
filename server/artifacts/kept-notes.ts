import type { ArtifactPlugin } from '../../contract/artifacts.ts';
import type { ArtifactRow, Db } from '../storage/tables.ts';
import type { Added, Item, Keeping, KeptItems, NewItem } from '../tools/plugins/items.ts';
import { newItemId } from '../tools/plugins/items.ts';
import type { Page } from '../tools/plugins/journal/journal.ts';
import { ToolFailure } from '../tools/tool.ts';
import { findArtifact } from './artifact-store.ts';
import { authorOf } from './authors.ts';
import { patchArtifact } from './change-artifact.ts';
import type { ArtifactLog, Changing } from './changing.ts';
import { createArtifact } from './create.ts';
import { failTool } from './kept-items.ts';
import { selectNotesBefore } from './kept-store.ts';
import { contentOf, type NoteContent } from './shapes.ts';
import { trash } from './trash.ts';

const PAGE = 50;
const PLUGIN: ArtifactPlugin = 'journal';

/** The pages of the journal, each a note. One without a title is called by its day. */
export class KeptPages implements KeptItems<Page> {
  readonly #log: ArtifactLog;

  constructor(log: ArtifactLog) {
    this.#log = log;
  }

  async add(keeping: Keeping, item: NewItem<Page>): Promise<Added<Page>> {
    const { name, text, ...content } = toNote(item);
    const wanted = { id: newItemId(), kind: 'note', plugin: PLUGIN, name, text, content } as const;
    const row = await this.#write(keeping, (changing) => createArtifact(changing, wanted));
    return { item: toItem(row), isNew: true };
  }

  async get({ owner }: Keeping, id: string): Promise<Item<Page>> {
    return toItem(await requirePage(this.#log.db, owner, id));
  }

  async *all({ owner }: Keeping, before?: string): AsyncGenerator<Item<Page>> {
    const { db } = this.#log;
    const known = before === undefined ? undefined : await findArtifact(db, owner, before);
    let place = known ? { at: known.created_at, id: known.id } : { at: Number.MAX_SAFE_INTEGER, id: '' };
    for (;;) {
      const rows = await selectNotesBefore(db, owner, PLUGIN, place.at, place.at, place.id, PAGE);
      for (const row of rows) yield toItem(row);
      const last = rows.at(-1);
      if (!last || rows.length < PAGE) return;
      place = { at: last.created_at, id: last.id };
    }
  }

  change(keeping: Keeping, id: string, change: (item: Item<Page>) => NewItem<Page>): Promise<Item<Page>> {
    return this.#write(keeping, async (changing) => {
      const row = await requirePage(changing.db, keeping.owner, id);
      const edit = await changing.open(row.id, 'note');
      await patchArtifact(edit, { ...toNote(change(toItem(edit.row))) }, undefined);
      return toItem(edit.row);
    });
  }

  remove(keeping: Keeping, id: string): Promise<void> {
    return this.#write(keeping, async (changing) => {
      const row = await requirePage(changing.db, keeping.owner, id);
      await trash(await changing.open(row.id, 'note'));
    });
  }

  #write<T>(keeping: Keeping, work: (changing: Changing) => Promise<T>): Promise<T> {
    return this.#log.write(keeping.owner, authorOf(keeping), work, keeping.tx).catch(failTool);
  }
}

async function requirePage(db: Db, owner: string, id: string): Promise<ArtifactRow> {
  const row = await findArtifact(db, owner, id);
  if (row && row.plugin === PLUGIN && row.deleted_at === null) return row;
  throw new ToolFailure(`No entry with the ID ${id}.`, 'not_found');
}

function toNote({ title, text, data }: NewItem<Page>) {
  const { date, mood, tags } = data;
  return { name: title || date, text, tags, date, mood };
}

function toItem(row: ArtifactRow): Item<Page> {
  const { tags, date, mood } = contentOf<NoteContent>(row);
  const { id, name, text, created_at: createdAt, updated_at: updatedAt } = row;
  const day = date ?? new Date(createdAt).toISOString().slice(0, 10);
  return { id, title: name === day ? '' : name, text, data: { date: day, mood, tags }, createdAt, updatedAt };
}
