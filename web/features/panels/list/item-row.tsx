// biome-ignore-all lint/a11y/useFocusableInteractive: the grid has the keyboard for its rows and cells
// biome-ignore-all lint/a11y/useSemanticElements: rows that come and go with scrolling are no table
// biome-ignore-all lint/a11y/useKeyWithClickEvents: the grid hears the keys
import { draggable } from '@atlaskit/pragmatic-drag-and-drop/element/adapter';
import {
  ArrowDown,
  ArrowUp,
  Ellipsis,
  FolderInput,
  History,
  MessageSquarePlus,
  Pencil,
  SquarePen,
  StickyNote,
  Trash2,
} from 'lucide-react';
import { type KeyboardEvent, type MouseEvent, useEffect, useRef } from 'react';
import type { List, ListField, ListItem } from '../../../../contract/lists.ts';
import { AuthorTile } from '../../../artifacts/author.tsx';
import { dueWords, isOverdue } from '../../../artifacts/due.ts';
import { useText } from '../../../i18n/panel-words.ts';
import { spell } from '../../../state/shortcuts.ts';
import { IconButton } from '../../../ui/button.tsx';
import { cx } from '../../../ui/cx.ts';
import { Menu, MenuItem, MenuSeparator } from '../../../ui/menu.tsx';
import { asWords } from './item-words.ts';

interface RowVerbs {
  edit(): void;
  details(): void;
  history(): void;
  moveTo(): void;
  /** Null where there is no conversation. */
  toMessage: (() => void) | null;
  up(): void;
  down(): void;
  remove(): void;
}

interface Props {
  id: string;
  item: ListItem;
  list: List;
  index: number;
  top: number;
  height: number;
  isActive: boolean;
  isSelected: boolean;
  isEditing: boolean;
  /** What goes along when it is dragged. */
  dragged(): readonly ListItem[];
  onClick(event: MouseEvent): void;
  onDone(): void;
  /** Null: it stays. */
  onRename(title: string | null): void;
  verbs: RowVerbs;
}

export function ItemRow(props: Props) {
  const { id, item, list, index, top, height, isActive, isSelected, isEditing, onClick, onDone, verbs } = props;
  const text = useText();
  const row = useRef<HTMLDivElement>(null);
  useDragging(row, props, !isEditing);
  const isDone = item.doneAt !== null;
  return (
    <div
      ref={row}
      id={id}
      role="row"
      aria-rowindex={index + 1}
      aria-selected={isSelected}
      data-item={item.id}
      data-active={isActive ? '' : undefined}
      onClick={onClick}
      onDoubleClick={verbs.edit}
      style={{ height, transform: `translateY(${top}px)` }}
      className={cx(
        'group/row absolute inset-x-0 top-0 flex items-center gap-2 border-b border-line px-2 -outline-offset-2 outline-accent',
        'data-[drop=after]:shadow-[inset_0_-2px_var(--accent)] data-[drop=before]:shadow-[inset_0_2px_var(--accent)]',
        isSelected ? 'bg-accent/12' : 'hover:bg-hover',
      )}
    >
      <span role="gridcell" className="flex flex-none">
        <input
          type="checkbox"
          tabIndex={-1}
          checked={isDone}
          onChange={onDone}
          onClick={(event) => event.stopPropagation()}
          aria-label={text('list.doneNamed', { title: item.title })}
          className="size-4 accent-accent touch:size-6"
        />
      </span>
      <span role="gridcell" className="flex min-w-0 flex-1 items-center gap-2">
        {isEditing ? (
          <TitleField title={item.title} onEnd={props.onRename} />
        ) : (
          <span dir="auto" className={cx('min-w-0 truncate', isDone && 'text-fg-3 line-through')} title={item.title}>
            {item.title}
          </span>
        )}
        {item.notes !== '' && (
          <StickyNote size={12} aria-label={text('list.hasNotes')} className="flex-none text-fg-3" />
        )}
      </span>
      {!isEditing && <Facts item={item} fields={list.fields} />}
      <span
        role="gridcell"
        className="flex flex-none items-center gap-1"
        onClick={(event) => event.stopPropagation()}
        onDoubleClick={(event) => event.stopPropagation()}
      >
        <AuthorTile by={item.updatedBy} at={item.updatedAt} />
        <RowMenu item={item} verbs={verbs} />
      </span>
    </div>
  );
}

/** Due date, tags and fields, as far as there is room. */
function Facts({ item: { due, doneAt, tags, values }, fields }: { item: ListItem; fields: readonly ListField[] }) {
  const told = fields.flatMap((field) => valueWords(field, values[field.id]) ?? []).slice(0, 3);
  return (
    <span
      role="gridcell"
      className="hidden max-w-1/2 flex-none items-center gap-1.5 overflow-hidden text-xs @min-[340px]:flex"
    >
      {told.map((words) => (
        <span key={words} dir="auto" className="hidden max-w-32 truncate text-fg-2 @min-[520px]:inline">
          {words}
        </span>
      ))}
      {tags.slice(0, 2).map((tag) => (
        <span
          key={tag}
          dir="auto"
          className="hidden max-w-24 truncate rounded-sm border border-line px-1 text-fg-2 @min-[430px]:inline"
        >
          {tag}
        </span>
      ))}
      {due !== null && (
        <span className={cx('flex-none', doneAt === null && isOverdue(due) ? 'text-danger' : 'text-fg-2')}>
          {dueWords(due)}
        </span>
      )}
    </span>
  );
}

function valueWords({ type, name }: ListField, value: unknown): string | null {
  if (value === undefined || value === null || value === false) return null;
  return type === 'checkbox' ? name : String(value);
}

function TitleField({ title, onEnd }: { title: string; onEnd(title: string | null): void }) {
  const text = useText();
  const isOver = useRef(false);
  const end = (next: string | null) => {
    if (isOver.current) return;
    isOver.current = true;
    onEnd(next === null || next.trim() === '' ? null : next.trim());
  };
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    event.stopPropagation();
    if (event.nativeEvent.isComposing) return;
    if (event.key === 'Enter') end(event.currentTarget.value);
    if (event.key === 'Escape') end(null);
  };
  return (
    <input
      ref={(element) => element?.select()}
      // biome-ignore lint/a11y/noAutofocus: the person asked to write here
      autoFocus
      defaultValue={title}
      maxLength={500}
      aria-label={text('field.title')}
      onKeyDown={onKeyDown}
      onClick={(event) => event.stopPropagation()}
      onDoubleClick={(event) => event.stopPropagation()}
      onBlur={({ currentTarget }) => end(currentTarget.value)}
      className="h-7 min-h-0! w-full rounded-md border border-line-strong bg-bg px-1.5 touch:text-[16px]"
    />
  );
}

function RowMenu({ item, verbs }: { item: ListItem; verbs: RowVerbs }) {
  const text = useText();
  return (
    <Menu
      trigger={
        <IconButton
          label={text('list.itemMenu', { title: item.title })}
          tabIndex={-1}
          data-menu-of={item.id}
          className="opacity-0 group-hover/row:opacity-100 group-data-active/row:opacity-100 aria-expanded:opacity-100 touch:opacity-100"
        >
          <Ellipsis size={14} />
        </IconButton>
      }
    >
      <MenuItem icon={<Pencil size={14} />} keys={spell('Enter')} onSelect={verbs.edit}>
        {text('list.rename')}
      </MenuItem>
      <MenuItem icon={<SquarePen size={14} />} keys={spell('Alt ↵')} onSelect={verbs.details}>
        {text('list.details')}
      </MenuItem>
      {verbs.toMessage && (
        <MenuItem icon={<MessageSquarePlus size={14} />} onSelect={verbs.toMessage}>
          {text('list.toMessage')}
        </MenuItem>
      )}
      <MenuSeparator />
      <MenuItem icon={<ArrowUp size={14} />} keys={spell('Alt ↑')} onSelect={verbs.up}>
        {text('panel.move.up')}
      </MenuItem>
      <MenuItem icon={<ArrowDown size={14} />} keys={spell('Alt ↓')} onSelect={verbs.down}>
        {text('panel.move.down')}
      </MenuItem>
      <MenuItem icon={<FolderInput size={14} />} onSelect={verbs.moveTo}>
        {text('list.moveTo')}
      </MenuItem>
      <MenuItem icon={<History size={14} />} onSelect={verbs.history}>
        {text('history.title')}
      </MenuItem>
      <MenuSeparator />
      <MenuItem danger icon={<Trash2 size={14} />} keys={spell('Del')} onSelect={verbs.remove}>
        {text('list.remove')}
      </MenuItem>
    </Menu>
  );
}

/** Onto another row, another list, or as lines into the message box. */
function useDragging(row: React.RefObject<HTMLElement | null>, props: Props, isOn: boolean): void {
  const latest = useRef(props);
  useEffect(() => {
    latest.current = props;
  });
  useEffect(() => {
    if (!isOn) return;
    return draggable({
      element: row.current!,
      getInitialData: () => ({
        listId: latest.current.list.id,
        itemIds: latest.current.dragged().map(({ id }) => id),
        words: asWords(latest.current.dragged()),
      }),
      getInitialDataForExternal: () => ({ 'text/plain': asWords(latest.current.dragged()) }),
    });
  }, [row, isOn]);
}
