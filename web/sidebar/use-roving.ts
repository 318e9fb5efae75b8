import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { Row } from './rows.ts';

export const TREE_ID = 'session-list';
const STOP = '[role="treeitem"][tabindex="0"]';

export interface Roving {
  /** The one row that Tab comes to. */
  index: number;
  /** Goes to a row, wherever it is. */
  moveTo(index: number): void;
  /** Somebody came to a row by themselves. */
  arrived(key: string): void;
}

/**
 * One place in the list at a time takes the keyboard. It begins at the open session, stays with its row when the list
 * changes, and goes to whatever stands in its place when the row is gone.
 */
export function useRoving(rows: readonly Row[], preferred: string | null, tree: RefObject<HTMLElement | null>): Roving {
  const [key, setKey] = useState<string | null>(null);
  const last = useRef(0);
  const wanted = useRef(false);
  const found = rows.findIndex((row) => row.key === (key ?? preferred));
  const index = found >= 0 ? found : Math.min(key === null ? 0 : last.current, rows.length - 1);
  useEffect(() => {
    last.current = index;
  }, [index]);
  useLost(rows, tree, wanted);
  useLayoutEffect(() => {
    if (!wanted.current) return;
    const element = tree.current?.querySelector<HTMLElement>(STOP);
    if (!element) return;
    wanted.current = false;
    element.focus({ preventScroll: true });
    element.scrollIntoView({ block: 'nearest' });
  });
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
