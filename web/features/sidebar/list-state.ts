import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';

/** What the menu stands at: a button, or where the pointer was. */
export type Anchor = Element | { getBoundingClientRect(): DOMRect };

export type Asking = { kind: 'move'; ids: readonly string[] } | { kind: 'clear'; id: string };

interface ListState {
  renaming: string | null;
  menu: { id: string; anchor: Anchor } | null;
  /** A dialog that is open. */
  asking: Asking | null;
}

const list = createStore<ListState>()(() => ({ renaming: null, menu: null, asking: null }));

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

export function ask(asking: Asking | null): void {
  list.setState({ asking });
}

/** A place on the screen to stand at. */
export function pointAt(x: number, y: number): Anchor {
  return { getBoundingClientRect: () => new DOMRect(x, y, 0, 0) };
}
