// biome-ignore-all lint/a11y/useSemanticElements: columns and cards are no part of a form
import { draggable, dropTargetForElements } from '@atlaskit/pragmatic-drag-and-drop/element/adapter';
import { ArrowRightLeft } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import type { ViewRow } from '../../../../contract/views.ts';
import { useText } from '../../../i18n/panel-words.ts';
import { IconButton } from '../../../ui/button.tsx';
import { cx } from '../../../ui/cx.ts';
import { Menu, MenuItem } from '../../../ui/menu.tsx';
import type { LayoutProps } from './layout-props.ts';
import { RowTitle } from './row-title.tsx';
import { cellOf, columnsOf, groupName, idOf, patchFor, titleOf } from './rows.ts';

/** More cards than a person looks at are not drawn; the table has all of them. */
const MOST_CARDS = 200;

interface Group {
  readonly value: string | null;
  readonly count: number;
}

/** A column for each group. A card is moved to another one by dragging or with its menu. */
export function BoardLayout(props: LayoutProps) {
  const text = useText();
  const { view, rows, verbs } = props;
  const field = view.query.group;
  const isNotGrouped = field === null;
  const { change } = verbs;
  // biome-ignore lint/correctness/useExhaustiveDependencies: asked once, when there is no group
  useEffect(() => {
    if (isNotGrouped) change({ query: { ...view.query, group: 'done' } });
  }, [isNotGrouped]);
  const put = (row: ViewRow, value: string | null) => {
    if (row.kind !== 'item' || row.group === value) return;
    const patch = patchFor(field, value, rows);
    if (patch) verbs.patch(row, patch);
    else if (field === 'list' && value !== null) verbs.move(row, value);
  };
  const groups = withEmptyGroups(rows.groups, props);
  const canMove = field === 'list' || patchFor(field, null, rows) !== null;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <div role="group" tabIndex={0} aria-label={view.name} className="flex min-h-0 flex-1 gap-2 overflow-x-auto p-2">
      {groups.map((group) => (
        <Column
          key={String(group.value)}
          {...props}
          name={groupName(group.value, field, rows)}
          group={group}
          groups={groups}
          canMove={canMove}
          cards={rows.rows.filter((row) => row.group === group.value)}
          put={put}
          more={(count) => text('view.more', { count })}
        />
      ))}
    </div>
  );
}

/** Of a choice or of done, the columns are there also while nothing is in them. */
function withEmptyGroups(groups: readonly Group[], { view, rows }: LayoutProps): readonly Group[] {
  const field = view.query.group;
  const id = field?.startsWith('values.') ? field.slice('values.'.length) : null;
  const choices = field === 'done' ? ['false', 'true'] : (rows.fields.find((one) => one.id === id)?.choices ?? []);
  const known = new Map(groups.map((group) => [group.value, group]));
  const all = choices.map((value) => known.get(value) ?? { value, count: 0 });
  return [...all, ...groups.filter(({ value }) => value === null || !choices.includes(value))];
}

interface ColumnProps extends LayoutProps {
  name: string;
  group: Group;
  groups: readonly Group[];
  canMove: boolean;
  cards: readonly ViewRow[];
  put(row: ViewRow, value: string | null): void;
  more(count: number): string;
}

function Column(props: ColumnProps) {
  const { name, group, cards, put, more, canMove } = props;
  const place = useRef<HTMLDivElement>(null);
  const [isOver, setOver] = useState(false);
  const latest = useRef(put);
  useEffect(() => {
    latest.current = put;
  });
  useEffect(() => {
    if (!canMove) return;
    return dropTargetForElements({
      element: place.current!,
      canDrop: ({ source }) => source.data.card !== undefined,
      onDragEnter: () => setOver(true),
      onDragLeave: () => setOver(false),
      onDrop: ({ source }) => {
        setOver(false);
        latest.current(source.data.card as ViewRow, group.value);
      },
    });
  }, [group.value, canMove]);
  return (
    <div
      ref={place}
      role="group"
      aria-label={name}
      className={cx(
        'flex max-h-full w-60 touch:w-72 flex-none flex-col self-start rounded-lg border bg-surface',
        isOver ? 'border-accent' : 'border-line',
      )}
    >
      <h2 className="flex flex-none gap-2 px-3 py-2 text-xs font-semibold">
        <bdi className="truncate">{name}</bdi>
        <span className="font-normal text-fg-3">{group.count}</span>
      </h2>
      <ul className="flex min-h-8 flex-col gap-1.5 overflow-y-auto px-1.5 pb-1.5">
        {cards.slice(0, MOST_CARDS).map((row) => (
          <Card key={idOf(row)} {...props} row={row} />
        ))}
        {cards.length > MOST_CARDS && <li className="px-2 text-xs text-fg-3">{more(cards.length - MOST_CARDS)}</li>}
      </ul>
    </div>
  );
}

function Card({ row, ...props }: ColumnProps & { row: ViewRow }) {
  const { view, rows, selection, groups, put, canMove } = props;
  const text = useText();
  const card = useRef<HTMLLIElement>(null);
  const isItem = row.kind === 'item';
  useEffect(() => {
    if (!isItem || !canMove) return;
    return draggable({
      element: card.current!,
      getInitialData: () => ({ card: row, words: titleOf(row) }),
      getInitialDataForExternal: () => ({ 'text/plain': titleOf(row) }),
    });
  }, [row, isItem, canMove]);
  const facts = columnsOf(view, rows)
    .filter((field) => field !== 'title' && field !== 'done' && field !== view.query.group)
    .map((field) => cellOf(row, field, rows))
    .filter((words) => words !== '');
  return (
    <li
      ref={card}
      className={cx(
        'rounded-md border bg-raised px-2 py-1.5',
        selection.has(idOf(row)) ? 'border-accent' : 'border-line',
      )}
    >
      <div className="flex items-center gap-2">
        <RowTitle row={row} {...props} />
      </div>
      <div className="flex items-center gap-2">
        <p dir="auto" className="min-w-0 flex-1 truncate text-xs text-fg-3">
          {facts.slice(0, 3).join(' · ')}
        </p>
        {isItem && canMove && (
          <Menu
            trigger={
              <IconButton label={text('view.moveCard', { title: titleOf(row) })}>
                <ArrowRightLeft size={13} />
              </IconButton>
            }
          >
            {groups.map(({ value }) => (
              <MenuItem key={String(value)} disabled={value === row.group} onSelect={() => put(row, value)}>
                {groupName(value, view.query.group, rows)}
              </MenuItem>
            ))}
          </Menu>
        )}
      </div>
    </li>
  );
}
