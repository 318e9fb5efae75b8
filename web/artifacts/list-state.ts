import type { ArtifactChange, Author } from '../../contract/artifacts.ts';
import type { FieldValues, List, ListItem } from '../../contract/lists.ts';

/** What is known of a list here. Never changed in place. */
export interface ListState {
  readonly list: List | null;
  readonly items: ReadonlyMap<string, ListItem>;
  /** In the order of their ranks. */
  readonly order: readonly string[];
  /** All pages have been read. */
  readonly isComplete: boolean;
  readonly problem: Error | null;
  /** What agents did since it is shown here, newest last. */
  readonly news: readonly ArtifactChange[];
}

export const EMPTY_LIST: ListState = {
  list: null,
  items: new Map(),
  order: [],
  isComplete: false,
  problem: null,
  news: [],
};

const MOST_NEWS = 20;

/** Items as the server has them; those that are known in a newer version stay. */
export function withItems(state: ListState, items: readonly ListItem[]): ListState {
  const all = new Map(state.items);
  for (const item of items) {
    const known = all.get(item.id);
    if (!known || known.version <= item.version) all.set(item.id, item);
  }
  return { ...state, items: all, order: ordered(all) };
}

export function withoutItems(state: ListState, ids: readonly string[]): ListState {
  const all = new Map(state.items);
  for (const id of ids) all.delete(id);
  return { ...state, items: all, order: state.order.filter((id) => all.has(id)) };
}

/** One item, wherever its rank puts it: without sorting the others again. */
export function withItem(state: ListState, item: ListItem): ListState {
  const before = state.items.get(item.id);
  const items = new Map(state.items).set(item.id, item);
  if (before?.rank === item.rank) return { ...state, items };
  const others = before ? state.order.filter((id) => id !== item.id) : state.order;
  const at = placeOf(others, items, item);
  return { ...state, items, order: [...others.slice(0, at), item.id, ...others.slice(at)] };
}

function placeOf(order: readonly string[], items: ReadonlyMap<string, ListItem>, { rank }: ListItem): number {
  let [from, to] = [0, order.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (items.get(order[middle]!)!.rank < rank) from = middle + 1;
    else to = middle;
  }
  return from;
}

function ordered(items: ReadonlyMap<string, ListItem>): readonly string[] {
  return [...items.values()].sort((a, b) => (a.rank < b.rank ? -1 : a.rank > b.rank ? 1 : 0)).map(({ id }) => id);
}

/** The list after a change of one of its items, as the history tells it. */
export function afterChange(state: ListState, change: ArtifactChange): ListState {
  const { itemId, type, version, by } = change;
  if (itemId === null) return state;
  const known = state.items.get(itemId);
  if (known && known.version >= version) return state;
  const told = by.kind === 'agent' ? { ...state, news: [...state.news, change].slice(-MOST_NEWS) } : state;
  switch (type) {
    case 'item_deleted':
      return known ? withoutItems(told, [itemId]) : told;
    case 'item_moved':
      return moved(told, change, known);
    default:
      return withItem(told, withFields(known ?? newItem(change), change));
  }
}

/** Null: an item came from another list, so it has to be read. */
export function needsReading({ items }: ListState, { type, itemId, after }: ArtifactChange, listId: string): boolean {
  return type === 'item_moved' && after?.listId === listId && itemId !== null && !items.has(itemId);
}

function moved(state: ListState, change: ArtifactChange, known: ListItem | undefined): ListState {
  if (!known) return state;
  const { listId, rank } = change.after ?? {};
  if (listId !== change.artifactId) return withoutItems(state, [known.id]);
  return withItem(state, { ...known, ...touched(change), rank: String(rank) });
}

function newItem(change: ArtifactChange): ListItem {
  const { itemId, artifactId, title, at, by } = change;
  return {
    id: itemId!,
    listId: artifactId,
    title,
    notes: '',
    due: null,
    tags: [],
    values: {},
    doneAt: null,
    rank: '',
    version: 0,
    createdAt: at,
    createdBy: by,
    updatedAt: at,
    updatedBy: by,
  };
}

const VALUES = 'values.';

function withFields(item: ListItem, change: ArtifactChange): ListItem {
  const after = Object.entries(change.after ?? {});
  const own = Object.fromEntries(after.filter(([field]) => !field.startsWith(VALUES)));
  const values: FieldValues = { ...item.values };
  for (const [field, value] of after) {
    if (!field.startsWith(VALUES)) continue;
    if (value === null) delete values[field.slice(VALUES.length)];
    else values[field.slice(VALUES.length)] = value as FieldValues[string];
  }
  return { ...item, ...own, ...touched(change), values };
}

function touched({ version, at, by }: ArtifactChange): { version: number; updatedAt: string; updatedBy: Author } {
  return { version, updatedAt: at, updatedBy: by };
}
