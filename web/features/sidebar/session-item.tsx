import { Check } from 'lucide-react';
import { useRef } from 'react';
import type { Session } from '../../../contract/sessions.ts';
import { sessionTitle } from '../../i18n/session-title.ts';
import { useText } from '../../i18n/text.ts';
import { shortAge, useNow } from '../../i18n/time.ts';
import { useSession } from '../../live/use-live.ts';
import { cx } from '../../ui/cx.ts';
import { StatusDot } from '../../ui/status-dot.tsx';
import { useListState } from './list-state.ts';
import { RenameField } from './rename-field.tsx';
import { RowActions } from './row-actions.tsx';
import type { SessionRow } from './rows.ts';
import { useIsSelected } from './selection.ts';
import { type Line, SessionLine, useLine } from './session-line.tsx';
import { type ItemProps, treeItem } from './tree-item.ts';
import { useDragSource, useDropPlace } from './use-drag.ts';

/** Knows its own session and nothing else: what happens in others does not touch it. */
export function SessionItem(props: ItemProps<SessionRow>) {
  const session = useSession(props.row.id);
  return session ? <Item {...props} session={session} /> : null;
}

function Item({ row, isStop, isCurrent, deps, session }: ItemProps<SessionRow> & { session: Session }) {
  const element = useRef<HTMLAnchorElement>(null);
  const isSelected = useIsSelected(row.id);
  const isRenaming = useListState(({ renaming }) => renaming === row.id);
  const hasMenu = useListState(({ menu }) => menu?.id === row.id);
  const line = useLine(session);
  // What agents tell each other is not addressed to the person.
  const unread = isCurrent || session.delegatedFrom !== null ? 0 : session.unreadCount;
  useDragSource(element, row.id);
  const over = useDropPlace(element, row, deps);
  return (
    <a
      ref={element}
      href={`/sessions/${encodeURIComponent(row.id)}`}
      {...treeItem(row, isStop, isSelected)}
      data-menu={hasMenu || undefined}
      aria-current={isCurrent ? 'page' : undefined}
      className={cx(
        'group/row relative flex h-13 scroll-my-4 cursor-pointer gap-2 rounded-md py-1.5 pr-2 pl-2 select-none [[data-density=compact]_&]:h-11.5 [[data-density=compact]_&]:py-0.5',
        row.folder !== null && 'ml-3',
        isSelected ? 'bg-accent/10' : isCurrent ? 'bg-raised' : 'hover:bg-hover',
        isCurrent && (row.folder === null ? 'before:-left-2' : 'before:-left-5'),
        isCurrent && 'before:absolute before:inset-y-1.5 before:w-0.5 before:rounded-full before:bg-accent',
        over === 'on' && 'bg-hover',
        over === 'above' && 'shadow-[0_-2px_0_var(--accent)]',
        over === 'below' && 'shadow-[0_2px_0_var(--accent)]',
      )}
    >
      <span aria-hidden="true" className="grid h-5 w-2.5 flex-none place-items-center">
        {isSelected ? <Check size={13} className="flex-none text-accent" /> : <StatusDot status={session.status} />}
      </span>
      {isRenaming ? (
        <RenameField session={session} deps={deps} />
      ) : (
        <Content session={session} line={line} unread={unread} />
      )}
      {!isRenaming && <RowActions session={session} isStop={isStop} hasMenu={hasMenu} deps={deps} />}
    </a>
  );
}

/** An unread title is bold and bright. The row is called what it shows, in this order; those who do not see the dot are told what it says. */
function Content({ session, line, unread }: { session: Session; line: Line; unread: number }) {
  const text = useText();
  const now = useNow();
  const state = [text(`status.${session.status}`), unread > 0 && text('sidebar.unread', { count: unread })];
  return (
    <div className="min-w-0 flex-1">
      <div className="flex items-baseline gap-2 group-focus-within/row:pr-12 group-hover/row:pr-12 group-data-menu/row:pr-12 pointer-coarse:pr-7!">
        <span
          title={sessionTitle(session.title)}
          dir="auto"
          className={cx('min-w-0 flex-1 truncate', unread > 0 ? 'font-semibold text-fg' : 'text-fg-2')}
        >
          <span>{sessionTitle(session.title)}</span>
          <span className="sr-only">, {state.filter(Boolean).join(', ')},</span>
        </span>
        <time className="flex-none text-2xs text-fg-3 group-focus-within/row:sr-only group-hover/row:sr-only group-data-menu/row:sr-only pointer-coarse:not-sr-only!">
          {shortAge(session.lastActivityAt, now)}
          <span className="sr-only">,</span>
        </time>
      </div>
      <div className="flex items-center gap-1.5 text-xs text-fg-3 pointer-coarse:pr-7">
        <SessionLine line={line} />
        {unread > 0 && (
          <span
            aria-hidden="true"
            className="flex-none rounded-full bg-accent px-1.5 text-2xs font-semibold text-on-accent"
          >
            {unread}
          </span>
        )}
      </div>
    </div>
  );
}
