import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { Row } from './rows.ts';

export const TREE_ID = 'session-list';
const STOP = '[role="treeitem"][tabindex="0"]';

export interface Roving {
  /** The one row that Tab comes to. */
  index: number;
  /** Goes to a row, wherever it is. */
  moveTo(index: number): void;
  /** The person moved the focus to a row. */
  arrived(key: string): void;
}

/**
 * One place in the list at a time takes the keyboard. It begins at the open session, stays with its row when the list
 * changes, and goes to whatever stands in its place when the row is gone.
 */
export function useRoving(rows: readonly Row[], preferred: string | null, tree: RefObject<HTMLElement | null>): Roving {
  const [key, setKey] = useState<string | null>(null);
  const before = useRef<{ rows: readonly Row[]; index: number }>({ rows, index: 0 });
  const wanted = useRef(false);
  const found = rows.findIndex((row) => row.key === (key ?? preferred));
  const index =
    found >= 0 || key === null ? Math.max(0, found) : survivor(before.current.rows, before.current.index, rows);
  useLayoutEffect(() => {
    before.current = { rows, index };
    if (key !== null && rows[index]) setKey(rows[index].key);
  }, [rows, index, key]);
  useLost(rows, tree, wanted);
  useLayoutEffect(() => {
    if (!wanted.current) return;
    const element = stopIn(tree);
    if (!element) return;
    wanted.current = false;
    element.focus({ preventScroll: true });
    element.scrollIntoView({ block: 'nearest' });
  });
  // The list follows a session that is opened elsewhere.
  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever another session is open
  useEffect(() => {
    if (tree.current?.contains(document.activeElement)) return;
    setKey(null);
    requestAnimationFrame(() => stopIn(tree)?.scrollIntoView({ block: 'nearest' }));
  }, [preferred]);
  const moveTo = useCallback(
    (next: number) => {
      const row = rows[Math.max(0, Math.min(next, rows.length - 1))];
      if (!row) return;
      wanted.current = true;
      setKey(row.key);
    },
    [rows],
  );
  return { index, moveTo, arrived: setKey };
}

function stopIn(tree: RefObject<HTMLElement | null>): HTMLElement | null {
  return tree.current?.querySelector<HTMLElement>(STOP) ?? null;
}

/** When the row that had the keyboard is taken away, the keyboard stays in the list. */
function useLost(rows: readonly Row[], tree: RefObject<HTMLElement | null>, wanted: RefObject<boolean>): void {
  const inside = useRef(false);
  useEffect(() => {
    const note = () => {
      if (document.activeElement !== document.body) {
        inside.current = tree.current?.contains(document.activeElement) ?? false;
      }
    };
    document.addEventListener('focusin', note);
    return () => document.removeEventListener('focusin', note);
  }, [tree]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever the rows are others
  useLayoutEffect(() => {
    if (inside.current && document.activeElement === document.body) wanted.current = true;
  }, [rows]);
}

/** Back to where one was in the list. */
export function focusList(): void {
  document.querySelector<HTMLElement>(`#${TREE_ID} ${STOP}`)?.focus();
}

const HELD_MS = 1500;

/** Deleting by keyboard keeps the focus in the list, although another session opens and would take it. */
export function keepFocusInList(): void {
  const end = new AbortController();
  const { signal } = end;
  const takeBack = ({ target }: FocusEvent) => {
    if (target instanceof Element && target.closest(`#${TREE_ID}`)) return;
    end.abort();
    focusList();
  };
  document.addEventListener('focusin', takeBack, { signal });
  for (const type of ['keydown', 'pointerdown'])
    document.addEventListener(type, () => end.abort(), { signal, capture: true });
  setTimeout(() => end.abort(), HELD_MS);
}

/** Where to be in the list when a row is gone: at the next session below it that is left, else above it. */
export function survivor(before: readonly Row[], index: number, now: readonly Row[]): number {
  const left = new Map(now.map((row, at) => [row.key, at]));
  const isLeft = ({ kind, key }: Row) => kind === 'session' && left.has(key);
  const next = before.slice(index + 1).find(isLeft) ?? before.slice(0, index).findLast(isLeft);
  return next ? left.get(next.key)! : Math.min(index, now.length - 1);
}
