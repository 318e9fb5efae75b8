import { type RefObject, useEffect, useState } from 'react';
import type { SessionDeps } from '../../state/session-deps.ts';
import type { Over } from './drag.ts';
import { loadDrag } from './load-drag.ts';
import type { Row } from './rows.ts';

export interface ItemProps<R extends Row = Row> {
  row: R;
  /** Tab comes here. */
  isStop: boolean;
  isCurrent: boolean;
  deps: SessionDeps;
}

/** What every row says of itself and of its place in the tree. */
export function treeItem(row: Row, isStop: boolean, isSelected?: boolean) {
  return {
    role: 'treeitem',
    'data-key': row.key,
    'aria-level': row.level,
    'aria-posinset': row.position,
    'aria-setsize': row.size,
    'aria-expanded': 'open' in row ? row.open : undefined,
    'aria-selected': isSelected,
    tabIndex: isStop ? 0 : -1,
  } as const;
}

/** Rows can be carried as soon as the code for it has arrived; until then, and on touch, the menu does the same. */
export function useDragSource(element: RefObject<HTMLElement | null>, id: string): void {
  useEffect(() => afterwards(({ dragSource }) => dragSource(element.current!, id)), [element, id]);
}

/** Where, on this row, something is being held. */
export function useDropPlace(element: RefObject<HTMLElement | null>, row: Row, deps: SessionDeps): Over | null {
  const [over, setOver] = useState<Over | null>(null);
  useEffect(() => afterwards(({ dropPlace }) => dropPlace(element.current!, row, deps, setOver)), [element, row, deps]);
  return over;
}

function afterwards(register: (drag: typeof import('./drag.ts')) => () => void): () => void {
  let end: (() => void) | null = null;
  let gone = false;
  void loadDrag().then((drag) => {
    if (!gone) end = register(drag);
  });
  return () => {
    gone = true;
    end?.();
  };
}
