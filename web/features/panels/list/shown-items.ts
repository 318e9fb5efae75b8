import type { ListItem } from '../../../../contract/lists.ts';
import type { ListState } from '../../../artifacts/list-state.ts';

/** The items that hold all the words, in the order of the list. */
export function shownItems({ items, order }: ListState, words: string, isDoneShown: boolean): readonly ListItem[] {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  const all = order.map((id) => items.get(id)!);
  if (wanted.length === 0 && isDoneShown) return all;
  return all.filter((item) => (isDoneShown || item.doneAt === null) && hasAll(item, wanted));
}

function hasAll({ title, notes, tags, values }: ListItem, wanted: readonly string[]): boolean {
  if (wanted.length === 0) return true;
  const all = [title, notes, ...tags, ...Object.values(values)].join('\n').toLowerCase();
  return wanted.every((word) => all.includes(word));
}
