import type { UseQueryResult } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { type ReactNode, useEffect, useRef } from 'react';
import { useText } from '../i18n/page-words.ts';
import { Button } from './button.tsx';
import { cx } from './cx.ts';
import { Loaded } from './page.tsx';

interface Named {
  readonly id: string;
  readonly name: string;
}

interface ListProps<Data, Item extends Named> {
  query: UseQueryResult<Data>;
  label: string;
  items(data: Data): readonly Item[];
  /** Of the list, beside its lines. */
  className?: string;
  /** Instead of a list without anything in it. */
  empty: ReactNode;
  removal: { readonly removed: Item | null; restore(): void };
  children(item: Item): ReactNode;
}

/** What sessions can begin with, by name. One that was just deleted can be taken back below the others. */
export function BeginningList<Data, Item extends Named>(props: ListProps<Data, Item>) {
  const { query, label, items, className, empty, removal, children } = props;
  return (
    <>
      <Loaded query={query}>
        {(data) => {
          const shown = items(data).filter(({ id }) => id !== removal.removed?.id);
          if (shown.length === 0) return empty;
          return (
            <ul aria-label={label} className={cx('divide-y divide-line', className)}>
              {shown.map(children)}
            </ul>
          );
        }}
      </Loaded>
      <Removed item={removal.removed} onRestore={removal.restore} />
    </>
  );
}

/** Stands where it was done, and takes the keyboard: what was pressed is gone. */
function Removed({ item, onRestore }: { item: Named | null; onRestore(): void }) {
  const text = useText();
  return (
    <div role="status">
      {item && (
        <p className="mt-2 flex items-center gap-2 border-t border-line pt-2 text-fg-2">
          <span className="min-w-0 flex-1 truncate">{text('sidebar.done.deleted', { title: item.name })}</span>
          <Button key={item.id} autoFocus onClick={onRestore}>
            {text('action.undo')}
          </Button>
        </p>
      )}
    </div>
  );
}

interface RowProps {
  /** A picture before the name. */
  lead: ReactNode;
  name: ReactNode;
  about: ReactNode;
  /** The name of the button that begins a session. */
  beginLabel: string;
  /** Absent where no session can begin with it now. */
  onBegin?: (() => void) | undefined;
  /** Takes the keyboard, on the button marked `data-edit`. */
  isWanted: boolean;
  /** What else can be done with it. */
  children: ReactNode;
}

export function BeginningRow({ lead, name, about, beginLabel, onBegin, isWanted, children }: RowProps) {
  const text = useText();
  const row = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (isWanted) row.current?.querySelector<HTMLElement>('[data-edit]')?.focus();
  }, [isWanted]);
  return (
    <li ref={row} className="flex items-center gap-2 py-2">
      <span className="grid w-7 flex-none place-items-center self-start pt-1 text-fg-3">{lead}</span>
      <span className="min-w-0 flex-1">
        <span className="block truncate font-medium">{name}</span>
        {about}
      </span>
      {onBegin && (
        <Button aria-label={beginLabel} onClick={onBegin}>
          <Plus size={14} />
          <span className="max-sm:hidden">{text('agents.newSession')}</span>
        </Button>
      )}
      {children}
    </li>
  );
}
