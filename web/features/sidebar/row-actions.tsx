import { Archive, ArchiveRestore, Ellipsis } from 'lucide-react';
import type { MouseEvent } from 'react';
import type { Session } from '../../../contract/sessions.ts';
import { useText } from '../../i18n/text.ts';
import type { SessionDeps } from '../../state/session-deps.ts';
import { archive, restore } from '../../state/session-verbs.ts';
import { IconButton } from '../../ui/button.tsx';
import { openMenu } from './list-state.ts';

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
export function RowActions({ session, isStop, hasMenu, deps }: Props) {
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
