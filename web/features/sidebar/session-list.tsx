import { defaultRangeExtractor, type Range, useVirtualizer } from '@tanstack/react-virtual';
import { type FocusEvent, useRef } from 'react';
import { useText } from '../../i18n/text.ts';
import type { SessionDeps } from '../../state/session-deps.ts';
import { closeMenu } from './list-state.ts';
import { RowItem } from './row-item.tsx';
import type { Row } from './rows.ts';
import { useListClicks } from './use-list-clicks.ts';
import { useListKeys } from './use-list-keys.ts';
import { useOpenSession } from './use-open-session.ts';
import { TREE_ID, useRoving } from './use-roving.ts';

const HEIGHT: Record<Row['kind'], number> = { section: 32, day: 26, folder: 30, session: 52, more: 32, hint: 44 };

/** However many there are, only those in sight are drawn, and the one that has the keyboard. */
export function SessionList({ rows, deps }: { rows: readonly Row[]; deps: SessionDeps }) {
  const text = useText();
  const scroller = useRef<HTMLDivElement>(null);
  const tree = useRef<HTMLDivElement>(null);
  const current = useOpenSession();
  const roving = useRoving(rows, current, tree);
  const list = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => HEIGHT[rows[index]!.kind],
    getItemKey: (index) => rows[index]!.key,
    rangeExtractor: (range) => withStop(range, roving.index),
    overscan: 6,
    paddingEnd: 12,
  });
  const onKeyDown = useListKeys(rows, roving, deps);
  const clicks = useListClicks(rows, roving, deps);
  return (
    <div ref={scroller} className="min-h-0 flex-1 overflow-y-auto px-2 [overflow-anchor:none]" onScroll={closeMenu}>
      <div
        ref={tree}
        id={TREE_ID}
        role="tree"
        aria-label={text('nav.sessions')}
        aria-multiselectable="true"
        tabIndex={-1}
        className="relative outline-none"
        style={{ height: list.getTotalSize() }}
        onKeyDown={onKeyDown}
        onFocus={(event) => arrive(event, roving.arrived)}
        {...clicks}
      >
        {list.getVirtualItems().map((item) => (
          <div
            key={item.key}
            ref={list.measureElement}
            data-index={item.index}
            className="absolute inset-x-0 top-0"
            style={{ transform: `translateY(${item.start}px)` }}
          >
            <RowItem
              row={rows[item.index]!}
              isStop={item.index === roving.index}
              isCurrent={rows[item.index]!.key === current}
              deps={deps}
            />
          </div>
        ))}
      </div>
    </div>
  );
}

/** The row that has the keyboard stays where it is, however far one scrolls. */
function withStop(range: Range, stop: number): number[] {
  const shown = defaultRangeExtractor(range);
  return stop < 0 || shown.includes(stop) ? shown : [...shown, stop].sort((a, b) => a - b);
}

function arrive({ target }: FocusEvent, arrived: (key: string) => void): void {
  const key = target.closest<HTMLElement>('[data-key]')?.dataset.key;
  if (key !== undefined) arrived(key);
}
