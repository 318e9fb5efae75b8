import { Archive, ArchiveRestore, Check, Ellipsis } from 'lucide-react';
import { type KeyboardEvent, type MouseEvent, useRef } from 'react';
import type { Session } from '../../../contract/sessions.ts';
import { shortAge, useNow } from '../../i18n/formats.ts';
import { sessionTitle, useText } from '../../i18n/text.ts';
import { useSession } from '../../live/use-live.ts';
import type { SessionDeps } from '../../state/session-deps.ts';
import { archive, rename, restore } from '../../state/session-verbs.ts';
import { IconButton } from '../../ui/button.tsx';
import { cx } from '../../ui/cx.ts';
import { StatusDot } from '../../ui/status-dot.tsx';
import { rename as endRename, openMenu, useListState } from './list-state.ts';
import type { SessionRow } from './rows.ts';
import { useIsSelected } from './selection.ts';
import { type Line, SessionLine, useLine } from './session-line.tsx';
import { type ItemProps, treeItem, useDragSource, useDropPlace } from './tree-item.ts';

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

/** Enter and leaving keep the name, Escape does not; a name that cannot be had stays to be changed. */
function RenameField({ session, deps }: { session: Session; deps: SessionDeps }) {
  const text = useText();
  const field = useRef<HTMLInputElement>(null);
  const done = useRef(false);
  const end = () => {
    done.current = true;
    const row = field.current?.closest<HTMLElement>('[role="treeitem"]');
    endRename(null);
    // Nothing else has taken the focus meanwhile.
    if (document.activeElement === field.current) row?.focus();
  };
  const keep = async () => {
    const name = field.current?.value.trim() ?? '';
    if (done.current) return;
    if (name === '' || name === sessionTitle(session.title) || (await rename(deps, session.id, name))) end();
    else field.current?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    event.stopPropagation();
    if (event.nativeEvent.isComposing) return;
    if (event.key === 'Enter') void keep();
    if (event.key === 'Escape') {
      event.preventDefault();
      end();
    }
  };
  return (
    <input
      ref={(element) => {
        field.current = element;
        if (!element || document.activeElement === element) return;
        element.focus();
        element.select();
      }}
      defaultValue={sessionTitle(session.title)}
      maxLength={200}
      aria-label={text('sidebar.newName')}
      className="h-7 min-w-0 flex-1 self-center rounded-md border border-line-strong bg-bg px-1.5 font-medium select-text"
      onKeyDown={onKeyDown}
      onBlur={() => void keep()}
      onClick={(event) => event.preventDefault()}
    />
  );
}

interface Props {
  session: Session;
  isStop: boolean;
  hasMenu: boolean;
  deps: SessionDeps;
}

/**
 * Seen on hover and focus; where nothing hovers, always. Archiving is in the menu and on a key as well, so that the
 * button for it is the pointer's alone and does not add to what the row is called.
 */
function RowActions({ session, isStop, hasMenu, deps }: Props) {
  const text = useText();
  const isArchived = session.archivedAt !== null;
  const put = (event: MouseEvent) => {
    event.preventDefault();
    void (isArchived ? restore(deps, [session.id]) : archive(deps, [session.id]));
  };
  return (
    <span className="pointer-events-none absolute top-0.5 right-1 flex opacity-0 group-focus-within/row:pointer-events-auto group-focus-within/row:opacity-100 group-hover/row:pointer-events-auto group-hover/row:opacity-100 group-data-menu/row:pointer-events-auto group-data-menu/row:opacity-100 touch:pointer-events-auto touch:opacity-100">
      <IconButton
        label={text(isArchived ? 'sidebar.restore' : 'sidebar.archive')}
        className="size-6 pointer-coarse:hidden"
        aria-hidden="true"
        tabIndex={-1}
        onClick={put}
      >
        {isArchived ? <ArchiveRestore size={14} /> : <Archive size={14} />}
      </IconButton>
      <IconButton
        label={text('sidebar.actions')}
        aria-haspopup="menu"
        aria-expanded={hasMenu}
        className="size-6 touch:size-11"
        tabIndex={isStop ? 0 : -1}
        onClick={(event) => {
          event.preventDefault();
          openMenu(session.id, event.currentTarget);
        }}
      >
        <Ellipsis size={14} />
      </IconButton>
    </span>
  );
}
