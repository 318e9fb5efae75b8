import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';

/** What the menu stands at: a button, or where the pointer was. */
export type Anchor = Element | { getBoundingClientRect(): DOMRect };

interface ListState {
  renaming: string | null;
  menu: { id: string; anchor: Anchor } | null;
}

const list = createStore<ListState>()(() => ({ renaming: null, menu: null }));

export function useListState<T>(select: (state: ListState) => T): T {
  return useStore(list, select);
}

export function rename(id: string | null): void {
  list.setState({ renaming: id });
}

export function openMenu(id: string, anchor: Anchor): void {
  list.setState({ menu: { id, anchor } });
}

export function closeMenu(): void {
  list.setState({ menu: null });
}

/** A place on the screen to stand at. */
export function pointAt(x: number, y: number): Anchor {
  return { getBoundingClientRect: () => new DOMRect(x, y, 0, 0) };
}
