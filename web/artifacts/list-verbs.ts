import type { ArtifactConflict } from '../../contract/artifacts.ts';
import { AppError } from '../../contract/errors.ts';
import { newId } from '../../contract/ids.ts';
import type { ListItem, MOST_AT_ONCE as MostAtOnce, NewItem, PatchItem } from '../../contract/lists.ts';
import { text } from '../i18n/panel-words.ts';
import type { Live } from '../live/live.ts';
import { notify } from '../ui/toast.tsx';
import { type LiveList, liveListOf } from './live-list.ts';

/** As many as one request takes: the contract's own number, without its schemas. */
const MOST_AT_ONCE: typeof MostAtOnce = 500;

/** What people do with the items of a list. Shown at once, taken back when the server refuses, and undone on request. */
export class ListVerbs {
  readonly #live: Live;
  readonly #list: LiveList;

  constructor(live: Live, list: LiveList) {
    this.#live = live;
    this.#list = list;
  }

  async add(items: readonly NewItem[], place: { before?: string; after?: string } = {}): Promise<void> {
    for (let from = 0; from < items.length; from += MOST_AT_ONCE) {
      const some = items.slice(from, from + MOST_AT_ONCE).map((item) => ({ id: newId(), ...item }));
      const body = { items: some, ...place };
      const added = await this.#attempt(this.#live.client.call('addItems', { listId: this.#list.id, body }));
      if (!added) return;
      this.#list.put(added.items);
    }
  }

  /** Null when it was saved; else what others changed in the same fields meanwhile. */
  async change(item: ListItem, patch: Omit<PatchItem, 'base'>, isForced = false): Promise<ArtifactConflict[] | null> {
    const { id } = item;
    const body = { ...patch, ...(!isForced && { base: item.version }) };
    this.#list.foresee([foreseen(item, patch)]);
    try {
      const changed = await this.#live.client.call('patchItem', { listId: this.#list.id, itemId: id, body });
      this.#list.put([changed]);
      if (changed.version > item.version) this.#offerUndo(saidOf(item, patch), [changed.version]);
      return null;
    } catch (error) {
      await this.#reread(item);
      if (error instanceof AppError && error.conflicts) return error.conflicts;
      notify({ title: (error as Error).message });
      return null;
    }
  }

  /** Several items the same way, for example as done. */
  async changeAll(items: readonly ListItem[], patch: Omit<PatchItem, 'base'>): Promise<void> {
    if (items.length === 1) return void (await this.change(items[0]!, patch, true));
    this.#list.foresee(items.map((item) => foreseen(item, patch)));
    const versions: number[] = [];
    for (const { id: itemId } of items) {
      const asked = this.#live.client.call('patchItem', { listId: this.#list.id, itemId, body: patch });
      const changed = await this.#attempt(asked);
      if (!changed) break;
      this.#list.put([changed]);
      versions.push(changed.version);
    }
    if (versions.length > 0) this.#offerUndo(text('list.changedMany', { count: versions.length }), versions);
  }

  async move(ids: readonly string[], place: { before?: string; after?: string; toListId?: string }): Promise<void> {
    const listId = this.#list.id;
    const body = { items: ids.slice(0, MOST_AT_ONCE), ...place };
    const moved = await this.#attempt(
      this.#live.client.call('moveItems', { listId, body: { ...body, items: [...body.items] } }),
    );
    if (!moved) return;
    const target = place.toListId ?? listId;
    if (target === listId) return this.#list.put(moved.items);
    this.#list.drop(ids);
    liveListOf(this.#live, target).put(moved.items);
    const versions = moved.items.map(({ version }) => version);
    this.#offerUndo(text('list.movedMany', { count: ids.length }), versions, target);
  }

  async remove(items: readonly ListItem[]): Promise<void> {
    const ids = items.map(({ id }) => id).slice(0, MOST_AT_ONCE);
    this.#list.drop(ids);
    const listId = this.#list.id;
    const removed = await this.#attempt(this.#live.client.call('removeItems', { listId, body: { items: ids } }));
    if (!removed) return void this.#list.read();
    const [only] = items;
    const words =
      items.length === 1
        ? text('list.deleted', { title: only!.title })
        : text('list.deletedMany', { count: ids.length });
    this.#offerUndo(words, removed.versions);
  }

  async #reread({ id }: ListItem): Promise<void> {
    const item = await this.#live.client.call('getItem', { listId: this.#list.id, itemId: id }).catch(() => null);
    if (item) this.#list.foresee([item]);
    else this.#list.drop([id]);
  }

  async #attempt<T>(work: Promise<T>): Promise<T | null> {
    try {
      return await work;
    } catch (error) {
      notify({ title: (error as Error).message });
      void this.#list.read();
      return null;
    }
  }

  #offerUndo(title: string, versions: readonly number[], artifactId = this.#list.id): void {
    notify({ title, undo: { label: text('action.undo'), run: () => void undo(this.#live, artifactId, versions) } });
  }
}

/** Takes changes of an artifact back; what cannot be taken back is said. */
export async function undo(live: Live, artifactId: string, versions: readonly number[]): Promise<boolean> {
  try {
    await live.client.call('undoArtifactChanges', { artifactId, body: { versions: [...versions] } });
    return true;
  } catch (error) {
    notify({ title: (error as Error).message });
    return false;
  }
}

function foreseen(item: ListItem, { done, values, ...plain }: Omit<PatchItem, 'base'>): ListItem {
  const given = Object.fromEntries(Object.entries(plain).filter(([, value]) => value !== undefined));
  const doneAt = done === undefined ? item.doneAt : done ? (item.doneAt ?? new Date().toISOString()) : null;
  return { ...item, ...given, doneAt, values: { ...item.values, ...values } };
}

function saidOf({ title }: ListItem, { done }: Omit<PatchItem, 'base'>): string {
  if (done === undefined) return text('list.changed', { title });
  return text(done ? 'list.markedDone' : 'list.markedOpen', { title });
}
