import {
  Archive,
  ArchiveRestore,
  CheckCheck,
  CheckSquare,
  Eraser,
  FileJson,
  FileText,
  FolderInput,
  GitFork,
  LayoutTemplate,
  Pencil,
  Pin,
  PinOff,
  Share2,
  Shrink,
  Trash2,
} from 'lucide-react';
import type { Session } from '../../contract/sessions.ts';
import { useText } from '../i18n/text.ts';
import { spell } from '../keys/shortcuts.ts';
import { useSession } from '../live/use-live.ts';
import { saveAsTemplate } from '../templates/showing.ts';
import { MenuItem, MenuSeparator } from '../ui/menu.tsx';
import { ask } from './list-state.ts';
import { archive, compact, exportAs, fork, markRead, remove, restore, setPinned } from './verbs.ts';
import type { World } from './world.ts';

/** For what takes the keyboard: it has to wait until the menu has let go of it. */
export type Later = (open: () => void) => void;

interface Props {
  id: string;
  world: World;
  later: Later;
  onRename(): void;
  /** Absent where there is no list to select in. */
  onSelect?: (() => void) | undefined;
  onShare?: ((sessionId: string) => void) | undefined;
}

/** What can be done with a session, wherever its menu is opened. */
export function SessionMenuItems({ id, world, later, onRename, onSelect, onShare }: Props) {
  const session = useSession(id);
  if (!session) return null;
  const group = { session, world, later };
  return (
    <>
      <Arranging {...group} onRename={onRename} onSelect={onSelect} />
      <MenuSeparator />
      <Copying {...group} onShare={onShare} />
      <MenuSeparator />
      <Ending {...group} />
    </>
  );
}

interface Group {
  session: Session;
  world: World;
  later: Later;
}

function Copying({ session, world, later, onShare }: Group & Pick<Props, 'onShare'>) {
  const text = useText();
  const { id, messageCount } = session;
  const isEmpty = messageCount === 0;
  return (
    <>
      {onShare && (
        <MenuItem icon={<Share2 size={14} />} onSelect={() => later(() => onShare(id))}>
          {text('sidebar.share')}
        </MenuItem>
      )}
      <MenuItem icon={<GitFork size={14} />} disabled={isEmpty} onSelect={() => void fork(world, id)}>
        {text('sidebar.fork')}
      </MenuItem>
      <MenuItem icon={<FileText size={14} />} onSelect={() => exportAs(world, id, 'markdown')}>
        {text('sidebar.exportMarkdown')}
      </MenuItem>
      <MenuItem icon={<FileJson size={14} />} onSelect={() => exportAs(world, id, 'json')}>
        {text('sidebar.exportJson')}
      </MenuItem>
    </>
  );
}

function Arranging({ session, world, later, onRename, onSelect }: Group & Pick<Props, 'onRename' | 'onSelect'>) {
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
        onSelect={() => void setPinned(world, [id], !isPinned)}
      >
        {text(isPinned ? 'sidebar.unpin' : 'sidebar.pin')}
      </MenuItem>
      <MenuItem icon={<FolderInput size={14} />} onSelect={() => later(() => ask({ kind: 'move', ids: [id] }))}>
        {text('sidebar.move')}
      </MenuItem>
      <MenuItem icon={<LayoutTemplate size={14} />} onSelect={() => later(() => saveAsTemplate(id))}>
        {text('templates.save')}
      </MenuItem>
      {onSelect && (
        <MenuItem icon={<CheckSquare size={14} />} keys="X" onSelect={onSelect}>
          {text('sidebar.select')}
        </MenuItem>
      )}
      {unreadCount > 0 && delegatedFrom === null && (
        <MenuItem icon={<CheckCheck size={14} />} onSelect={() => void markRead(world, [id])}>
          {text('sidebar.markRead')}
        </MenuItem>
      )}
    </>
  );
}

function Ending({ session, world, later }: Group) {
  const text = useText();
  const { id, archivedAt, messageCount } = session;
  return (
    <>
      <MenuItem icon={<Shrink size={14} />} disabled={messageCount === 0} onSelect={() => void compact(world, id)}>
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
        <MenuItem icon={<Archive size={14} />} keys="E" onSelect={() => void archive(world, [id])}>
          {text('sidebar.archive')}
        </MenuItem>
      ) : (
        <MenuItem icon={<ArchiveRestore size={14} />} keys="E" onSelect={() => void restore(world, [id])}>
          {text('sidebar.restore')}
        </MenuItem>
      )}
      <MenuItem danger icon={<Trash2 size={14} />} keys={spell('Del')} onSelect={() => remove(world, [id])}>
        {text('sidebar.delete')}
      </MenuItem>
    </>
  );
}
