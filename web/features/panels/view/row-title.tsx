import { ListChecks, NotebookText, PanelRightOpen } from 'lucide-react';
import type { ViewRow } from '../../../../contract/views.ts';
import { AuthorTile } from '../../../artifacts/author.tsx';
import { useText } from '../../../i18n/panel-words.ts';
import { IconButton } from '../../../ui/button.tsx';
import { cx } from '../../../ui/cx.ts';
import type { LayoutProps } from './layout-props.ts';
import { idOf, isDone, titleOf } from './rows.ts';

type Props = Pick<LayoutProps, 'verbs' | 'selection' | 'onToggle' | 'onOpen'> & { row: ViewRow };

/** Whether it is done, its title, which selects it, and the way to where it belongs. */
export function RowTitle({ row, verbs, selection, onToggle, onOpen }: Props) {
  const text = useText();
  const title = titleOf(row);
  return (
    <>
      {row.kind === 'item' ? (
        <input
          type="checkbox"
          checked={isDone(row)}
          onChange={() => verbs.patch(row, { done: !isDone(row) })}
          aria-label={text('list.doneNamed', { title })}
          className="size-4 flex-none accent-accent touch:size-6"
        />
      ) : (
        <NotebookText size={14} aria-label={text('view.kind.note')} className="flex-none text-fg-3" />
      )}
      <button
        type="button"
        aria-pressed={selection.has(idOf(row))}
        title={title}
        onClick={() => onToggle(row)}
        onDoubleClick={() => onOpen(row)}
        dir="auto"
        className={cx('min-h-6 min-w-0 flex-1 truncate text-start', isDone(row) && 'text-fg-3 line-through')}
      >
        {title}
      </button>
      {selection.has(idOf(row)) && <ListChecks size={13} aria-hidden="true" className="flex-none text-accent" />}
      {row.kind === 'item' && <AuthorTile by={row.item.updatedBy} at={row.item.updatedAt} />}
      <IconButton
        label={text('view.openRow', { title })}
        onClick={() => onOpen(row)}
        className="opacity-60 hover:opacity-100 focus-visible:opacity-100"
      >
        <PanelRightOpen size={13} />
      </IconButton>
    </>
  );
}
