import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import type { Row } from './rows.ts';

interface Selection {
  ids: ReadonlySet<string>;
  /** Where a range begins. */
  anchor: string | null;
}

const NONE: Selection = { ids: new Set(), anchor: null };
const selection = createStore<Selection>()(() => NONE);

export function useSelection(): ReadonlySet<string> {
  return useStore(selection, ({ ids }) => ids);
}

export function useIsSelected(id: string): boolean {
  return useStore(selection, ({ ids }) => ids.has(id));
}

export function selected(): ReadonlySet<string> {
  return selection.getState().ids;
}

export function toggleSelected(id: string): void {
  selection.setState(({ ids }) => {
    const next = new Set(ids);
    if (!next.delete(id)) next.add(id);
    return { anchor: id, ids: next };
  });
}

/** From where the selection began to here. */
export function selectTo(rows: readonly Row[], id: string, from: string | null): void {
  selection.setState(({ anchor }) => {
    const start = anchor ?? from ?? id;
    return { anchor: start, ids: new Set(between(rows, start, id)) };
  });
}

export function selectAll(rows: readonly Row[]): void {
  selection.setState({ ids: new Set(rows.filter((row) => row.kind === 'session').map(({ key }) => key)) });
}

export function selectNone(): void {
  if (selection.getState() !== NONE) selection.setState(NONE);
}

/** The sessions from one row to another, both included, whichever comes first. */
export function between(rows: readonly Row[], from: string, to: string): string[] {
  const ends = [from, to].map((key) => rows.findIndex((row) => row.key === key)).filter((index) => index >= 0);
  if (ends.length === 0) return [];
  const part = rows.slice(Math.min(...ends), Math.max(...ends) + 1);
  return part.filter((row) => row.kind === 'session').map(({ key }) => key);
}
