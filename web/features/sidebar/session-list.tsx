import { useRouterState } from '@tanstack/react-router';
import { defaultRangeExtractor, type Range, useVirtualizer } from '@tanstack/react-virtual';
import { ChevronRight, Folder, FolderOpen } from 'lucide-react';
import { type FocusEvent, memo, useEffect, useRef } from 'react';
import { useText } from '../../i18n/text.ts';
import { currentIn, type SessionDeps } from '../../state/session-deps.ts';
import { cx } from '../../ui/cx.ts';
import { closeMenu } from './list-state.ts';
import type { DayRow, FolderRow, HintRow, MoreRow, Row, SectionRow } from './rows.ts';
import { SessionItem } from './session-item.tsx';
import { type ItemProps, treeItem, useDropPlace } from './tree-item.ts';
import { loadMore, useListClicks, useListKeys } from './use-list-keys.ts';
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

/** The session that is open, if one is. */
function useOpenSession(): string | null {
  return useRouterState({ select: (state) => currentIn(state.matches) });
}

const RowItem = memo(function RowItem({ row, ...rest }: ItemProps) {
  switch (row.kind) {
    case 'section':
      return <SectionItem row={row} {...rest} />;
    case 'day':
      return <DayItem row={row} {...rest} />;
    case 'folder':
      return <FolderItem row={row} {...rest} />;
    case 'session':
      return <SessionItem row={row} {...rest} />;
    case 'more':
      return <MoreItem row={row} {...rest} />;
    case 'hint':
      return <HintItem row={row} {...rest} />;
    default:
      return row satisfies never;
  }
});

function DayItem({ row, isStop, deps }: ItemProps<DayRow>) {
  const text = useText();
  const element = useRef<HTMLDivElement>(null);
  const over = useDropPlace(element, row, deps);
  return (
    <div
      ref={element}
      {...treeItem(row, isStop)}
      className={cx(
        'group/day flex h-6.5 cursor-pointer items-center gap-1 rounded-md px-2 text-2xs text-fg-3 select-none hover:text-fg touch:h-11',
        over && 'bg-hover text-fg',
      )}
    >
      {text(`sidebar.day.${row.day}`)}
      <ChevronRight
        size={11}
        aria-hidden="true"
        className={cx(row.open ? 'rotate-90 opacity-0 group-hover/day:opacity-100 touch:opacity-100' : '')}
      />
    </div>
  );
}

/** Coming into sight is asking for it. */
function MoreItem({ row, isStop, deps }: ItemProps<MoreRow>) {
  const text = useText();
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const sight = new IntersectionObserver(([entry]) => entry?.isIntersecting && loadMore(deps, row.section));
    sight.observe(element.current!);
    return () => sight.disconnect();
  }, [deps, row.section]);
  return (
    <div
      ref={element}
      {...treeItem(row, isStop)}
      className="flex h-8 cursor-pointer items-center rounded-md px-2 text-xs touch:h-11 text-fg-3 hover:text-fg"
    >
      {text('sidebar.more')}
    </div>
  );
}

function HintItem({ row, isStop }: ItemProps<HintRow>) {
  const text = useText();
  return (
    <div {...treeItem(row, isStop)} className="rounded-md px-2 py-1 text-xs text-fg-3">
      {text(`sidebar.empty.${row.section}`)}
    </div>
  );
}

function FolderItem({ row, isStop, deps }: ItemProps<FolderRow>) {
  const text = useText();
  const element = useRef<HTMLDivElement>(null);
  const over = useDropPlace(element, row, deps);
  const Icon = row.open ? FolderOpen : Folder;
  return (
    <div
      ref={element}
      {...treeItem(row, isStop)}
      className={cx(
        'flex h-7.5 touch:h-11 cursor-pointer items-center gap-2 rounded-md px-2 text-fg-2 select-none hover:bg-hover hover:text-fg',
        over && 'bg-hover outline-2 -outline-offset-2 outline-accent',
      )}
    >
      <Icon size={14} aria-hidden="true" className="flex-none" />
      <span className="sr-only">{text('sidebar.folder')}</span>
      <span dir="auto" className="truncate">
        {row.name}
      </span>
      <Count count={row.count} />
    </div>
  );
}

function SectionItem({ row, isStop, deps }: ItemProps<SectionRow>) {
  const text = useText();
  const element = useRef<HTMLDivElement>(null);
  const over = useDropPlace(element, row, deps);
  const name = text(`sidebar.section.${row.section}`);
  return (
    <div
      ref={element}
      {...treeItem(row, isStop)}
      className={cx(
        'flex h-8 cursor-pointer items-center gap-1.5 rounded-md pt-1 touch:h-11 pr-2 pl-1 text-xs font-medium text-fg-3 select-none hover:text-fg',
        over && 'bg-hover text-fg',
      )}
    >
      <ChevronRight size={13} aria-hidden="true" className={cx('transition-transform', row.open && 'rotate-90')} />
      <span dir="auto" className="truncate">
        {name}
      </span>
      {row.count !== null && <Count count={row.count} />}
    </div>
  );
}

function Count({ count }: { count: number }) {
  if (count === 0) return null;
  return <span className="rounded-full bg-raised px-1.5 text-2xs font-normal text-fg-2">{count}</span>;
}
