import {
  Archive,
  ArchiveRestore,
  CheckCheck,
  CheckSquare,
  Eraser,
  FileJson,
  FileText,
  FolderCog,
  FolderInput,
  GitFork,
  LayoutTemplate,
  Pencil,
  Pin,
  PinOff,
  Share2,
  Shrink,
  Trash2,
  Users,
} from 'lucide-react';
import type { Session } from '../../../contract/sessions.ts';
import { useText } from '../../i18n/text.ts';
import { useSession } from '../../live/use-live.ts';
import { ask, shareSession } from '../../state/open-dialogs.ts';
import type { SessionDeps } from '../../state/session-deps.ts';
import { archive, compact, exportAs, fork, markRead, remove, restore, setPinned } from '../../state/session-verbs.ts';
import { spell } from '../../state/shortcuts.ts';
import type { Later, SessionMenuItemsProps } from '../../state/slots.tsx';
import { saveAsTeam } from '../../state/teams.ts';
import { saveAsTemplate } from '../../state/templates.ts';
import { MenuItem, MenuSeparator } from '../../ui/menu.tsx';

/** What can be done with a session, wherever its menu is opened. */
export function SessionMenuItems({ id, deps, later, onRename, onSelect }: SessionMenuItemsProps) {
  const session = useSession(id);
  if (!session) return null;
  const group = { session, deps, later };
  return (
    <>
      <Arranging {...group} onRename={onRename} onSelect={onSelect} />
      <MenuSeparator />
      <Copying {...group} />
      <MenuSeparator />
      <Ending {...group} />
    </>
  );
}

interface Group {
  session: Session;
  deps: SessionDeps;
  later: Later;
}

function Copying({ session, deps, later }: Group) {
  const text = useText();
  const { id, messageCount } = session;
  const isEmpty = messageCount === 0;
  return (
    <>
      <MenuItem icon={<Share2 size={14} />} onSelect={() => later(() => shareSession(id))}>
        {text('sidebar.share')}
      </MenuItem>
      <MenuItem icon={<GitFork size={14} />} disabled={isEmpty} onSelect={() => void fork(deps, id)}>
        {text('sidebar.fork')}
      </MenuItem>
      <MenuItem icon={<FileText size={14} />} onSelect={() => exportAs(deps, id, 'markdown')}>
        {text('sidebar.exportMarkdown')}
      </MenuItem>
      <MenuItem icon={<FileJson size={14} />} onSelect={() => exportAs(deps, id, 'json')}>
        {text('sidebar.exportJson')}
      </MenuItem>
    </>
  );
}

function Arranging({
  session,
  deps,
  later,
  onRename,
  onSelect,
}: Group & Pick<SessionMenuItemsProps, 'onRename' | 'onSelect'>) {
  const text = useText();
  const { id, pinnedAt, unreadCount, delegatedFrom } = session;
  const isPinned = pinnedAt !== null;
  return (
    <>
      <MenuItem icon={<Pencil size={14} />} keys="F2" onSelect={() => later(onRename)}>
        {text('sidebar.rename')}
      </MenuItem>
      <MenuItem
        icon={isPinned ? <PinOff size={14} /> : <Pin size={14} />}
        keys="P"
        onSelect={() => void setPinned(deps, [id], !isPinned)}
      >
        {text(isPinned ? 'sidebar.unpin' : 'sidebar.pin')}
      </MenuItem>
      <MenuItem icon={<FolderInput size={14} />} onSelect={() => later(() => ask({ kind: 'move', ids: [id] }))}>
        {text('sidebar.move')}
      </MenuItem>
      <MenuItem icon={<FolderCog size={14} />} onSelect={() => later(() => ask({ kind: 'workspace', id }))}>
        {text('sidebar.workspace')}
      </MenuItem>
      <MenuItem icon={<LayoutTemplate size={14} />} onSelect={() => later(() => saveAsTemplate(id))}>
        {text('templates.save')}
      </MenuItem>
      <MenuItem icon={<Users size={14} />} onSelect={() => later(() => saveAsTeam(id))}>
        {text('teams.save')}
      </MenuItem>
      {onSelect && (
        <MenuItem icon={<CheckSquare size={14} />} keys="X" onSelect={onSelect}>
          {text('sidebar.select')}
        </MenuItem>
      )}
      {unreadCount > 0 && delegatedFrom === null && (
        <MenuItem icon={<CheckCheck size={14} />} onSelect={() => void markRead(deps, [id])}>
          {text('sidebar.markRead')}
        </MenuItem>
      )}
    </>
  );
}

function Ending({ session, deps, later }: Group) {
  const text = useText();
  const { id, archivedAt, messageCount } = session;
  return (
    <>
      <MenuItem icon={<Shrink size={14} />} disabled={messageCount === 0} onSelect={() => void compact(deps, id)}>
        {text('sidebar.compact')}
      </MenuItem>
      <MenuItem
        icon={<Eraser size={14} />}
        disabled={messageCount === 0}
        onSelect={() => later(() => ask({ kind: 'clear', id }))}
      >
        {text('sidebar.clear')}
      </MenuItem>
      {archivedAt === null ? (
        <MenuItem icon={<Archive size={14} />} keys="E" onSelect={() => void archive(deps, [id])}>
          {text('sidebar.archive')}
        </MenuItem>
      ) : (
        <MenuItem icon={<ArchiveRestore size={14} />} keys="E" onSelect={() => void restore(deps, [id])}>
          {text('sidebar.restore')}
        </MenuItem>
      )}
      <MenuItem danger icon={<Trash2 size={14} />} keys={spell('Del')} onSelect={() => remove(deps, [id])}>
        {text('sidebar.delete')}
      </MenuItem>
    </>
  );
}
