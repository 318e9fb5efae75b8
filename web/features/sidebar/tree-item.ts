import type { SessionDeps } from '../../state/session-deps.ts';
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
