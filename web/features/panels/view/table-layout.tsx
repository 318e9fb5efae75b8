// biome-ignore-all lint/a11y/useSemanticElements: rows that come and go with scrolling are no table
// biome-ignore-all lint/a11y/useAriaPropsSupportedByRole: the role is given, a table or a list
// biome-ignore-all lint/a11y/useFocusableInteractive: what is inside the cells has the keyboard
import { useVirtualizer } from '@tanstack/react-virtual';
import { ArrowDown, ArrowUp } from 'lucide-react';
import { useRef } from 'react';
import type { RowField, View, ViewRow, ViewRows } from '../../../../contract/views.ts';
import { useText } from '../../../i18n/panel-words.ts';
import { cx } from '../../../ui/cx.ts';
import { useIsTouch } from '../../../ui/use-media.ts';
import type { LayoutProps } from './layout-props.ts';
import { RowTitle } from './row-title.tsx';
import { cellOf, columnsOf, fieldName, groupName, idOf } from './rows.ts';

type Line =
  | { readonly kind: 'group'; readonly name: string; readonly count: number }
  | { readonly kind: 'row'; readonly row: ViewRow };

const ROW_PX = 34;
const TOUCH_ROW_PX = 48;
const COLUMN_PX = 130;
const TITLE_PX = 220;
/** Its check box and buttons are larger by touch. */
const TOUCH_TITLE_PX = 260;

/** Rows with a column for each field; a click on its name sorts by it. */
export function TableLayout(props: LayoutProps) {
  const text = useText();
  const { view, rows, verbs } = props;
  const columns = columnsOf(view, rows).filter((field) => field !== 'done');
  const title = useIsTouch() ? TOUCH_TITLE_PX : TITLE_PX;
  const template = columns.map((_, index) => (index === 0 ? `minmax(${title}px, 2fr)` : `minmax(${COLUMN_PX}px, 1fr)`));
  const width = title + (columns.length - 1) * COLUMN_PX;
  const [sorted] = view.query.sort;
  const sort = (field: RowField) => {
    const direction = sorted?.field === field && sorted.direction === 'up' ? 'down' : 'up';
    verbs.change({ query: { ...view.query, sort: [{ field, direction }] } });
  };
  const head = (
    <div
      role="row"
      className="sticky top-0 z-10 grid border-b border-line bg-surface"
      style={{ gridTemplateColumns: template.join(' '), minWidth: width }}
    >
      {columns.map((field) => (
        <div key={field} role="columnheader" aria-sort={sortOf(field, view)} className="min-w-0">
          <button
            type="button"
            onClick={() => sort(field)}
            className="flex h-8 w-full items-center gap-1 px-2 text-left text-xs text-fg-2 hover:text-fg"
          >
            <span className="truncate">{fieldName(field, rows)}</span>
            {sorted?.field === field && (sorted.direction === 'up' ? <ArrowUp size={12} /> : <ArrowDown size={12} />)}
          </button>
        </div>
      ))}
    </div>
  );
  return (
    <Lines {...props} label={view.name} head={head} width={width} role="table" groupLabel={text('view.group')}>
      {(row) => (
        <div role="row" className="contents">
          <div
            className={cx(
              'grid h-full items-center',
              props.selection.has(idOf(row)) ? 'bg-accent/12' : 'hover:bg-hover',
            )}
            style={{ gridTemplateColumns: template.join(' ') }}
            role="presentation"
          >
            {columns.map((field) => (
              <div key={field} role="cell" className="flex min-w-0 items-center gap-2 px-2">
                {field === 'title' ? <RowTitle row={row} {...props} /> : <Cell row={row} field={field} rows={rows} />}
              </div>
            ))}
          </div>
        </div>
      )}
    </Lines>
  );
}

function sortOf(field: RowField, { query }: View): 'ascending' | 'descending' | 'none' {
  const [sorted] = query.sort;
  if (sorted?.field !== field) return 'none';
  return sorted.direction === 'up' ? 'ascending' : 'descending';
}

function Cell({ row, field, rows }: { row: ViewRow; field: RowField; rows: ViewRows }) {
  const words = cellOf(row, field, rows);
  return (
    <span dir="auto" title={words} className="truncate text-fg-2">
      {words}
    </span>
  );
}

/** One line for each row. */
export function ListLayout(props: LayoutProps) {
  const text = useText();
  const { view, rows } = props;
  const facts = columnsOf(view, rows).filter((field) => field !== 'title' && field !== 'done');
  return (
    <Lines {...props} label={view.name} head={null} width={0} role="list" groupLabel={text('view.group')}>
      {(row) => (
        <div
          role="listitem"
          className={cx(
            'flex h-full items-center gap-2 px-3',
            props.selection.has(idOf(row)) ? 'bg-accent/12' : 'hover:bg-hover',
          )}
        >
          <RowTitle row={row} {...props} />
          <span dir="auto" className="ml-auto max-w-1/2 flex-none truncate text-xs text-fg-3">
            {facts
              .map((field) => cellOf(row, field, rows))
              .filter((words) => words !== '')
              .slice(0, 3)
              .join(' · ')}
          </span>
        </div>
      )}
    </Lines>
  );
}

interface LinesProps extends LayoutProps {
  label: string;
  role: 'table' | 'list';
  head: React.ReactNode;
  width: number;
  groupLabel: string;
  children(row: ViewRow): React.ReactNode;
}

/** Only the lines in sight are in the page. */
function Lines({ view, rows, label, role, head, width, groupLabel, children }: LinesProps) {
  const box = useRef<HTMLDivElement>(null);
  const isTouching = useIsTouch();
  const lines = linesOf(view, rows);
  const height = isTouching ? TOUCH_ROW_PX : ROW_PX;
  const virtual = useVirtualizer({
    count: lines.length,
    getScrollElement: () => box.current,
    estimateSize: () => height,
    overscan: 8,
  });
  return (
    <div
      ref={box}
      tabIndex={0}
      className="min-h-0 flex-1 overflow-auto"
      aria-label={label}
      role={role}
      aria-rowcount={role === 'table' ? rows.total : undefined}
    >
      {head}
      <div role="presentation" className="relative" style={{ height: virtual.getTotalSize(), minWidth: width }}>
        {virtual.getVirtualItems().map(({ index, start, key }) => {
          const line = lines[index]!;
          return (
            <div
              key={key}
              role="presentation"
              data-row=""
              className="absolute inset-x-0 top-0 border-b border-line"
              style={{ height, transform: `translateY(${start}px)` }}
            >
              {line.kind === 'group' ? (
                <div
                  role={role === 'table' ? 'row' : 'listitem'}
                  className="flex h-full items-end gap-2 bg-surface px-2 pb-1 text-xs font-semibold"
                >
                  <span role={role === 'table' ? 'cell' : undefined}>
                    <span className="sr-only">{groupLabel}: </span>
                    <bdi>{line.name}</bdi> <span className="font-normal text-fg-3">{line.count}</span>
                  </span>
                </div>
              ) : (
                children(line.row)
              )}
            </div>
          );
        })}
      </div>
    </div>
  );
}

/** With the name of each group before its rows. */
function linesOf({ query }: View, rows: ViewRows): readonly Line[] {
  if (rows.groups.length === 0) return rows.rows.map((row) => ({ kind: 'row', row }));
  return rows.groups.flatMap(({ value, count }): Line[] => [
    { kind: 'group', name: groupName(value, query.group, rows), count },
    ...rows.rows.filter(({ group }) => group === value).map((row) => ({ kind: 'row', row }) as const),
  ]);
}
