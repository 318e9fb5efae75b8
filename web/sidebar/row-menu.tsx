import { Menu as Base } from '@base-ui/react/menu';
import {
  Archive,
  ArchiveRestore,
  CheckCheck,
  Eraser,
  FileJson,
  FileText,
  FolderInput,
  LayoutTemplate,
  Pencil,
  Pin,
  PinOff,
  Share2,
  Trash2,
} from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import type { Session } from '../../contract/sessions.ts';
import { useText } from '../i18n/text.ts';
import { useSession } from '../live/use-live.ts';
import { saveAsTemplate } from '../templates/showing.ts';
import { MenuItem, MenuSeparator } from '../ui/menu.tsx';
import { type Anchor, ask, closeMenu, rename, useListState } from './list-state.ts';
import { archive, exportAs, markRead, remove, restore, setPinned } from './verbs.ts';
import type { World } from './world.ts';

interface Props {
  world: World;
  onShare?: ((sessionId: string) => void) | undefined;
}

/** For what takes the keyboard: it has to wait until the menu has let go of it. */
type Later = (open: () => void) => void;

/** One menu for all rows: it stands where it was called. */
export function RowMenu(props: Props) {
  const menu = useListState((state) => state.menu);
  const [last, setLast] = useState<{ id: string; anchor: Anchor } | null>(null);
  /** Stays until the menu is opened again: the keyboard is given back only when nothing else has it. */
  const next = useRef<(() => void) | null>(null);
  useEffect(() => {
    if (!menu) return;
    next.current = null;
    setLast(menu);
  }, [menu]);
  const shown = menu ?? last;
  if (!shown) return null;
  const later: Later = (open) => {
    next.current = open;
  };
  const goOn = (open: boolean) => {
    if (!open) next.current?.();
  };
  return (
    <Base.Root open={menu !== null} onOpenChange={(open) => !open && closeMenu()} onOpenChangeComplete={goOn}>
      <Base.Portal>
        <Base.Positioner anchor={shown.anchor} align="start" side="bottom" sideOffset={4} className="z-50">
          <Base.Popup
            finalFocus={() => next.current === null && rowOf(shown.id)}
            className="min-w-48 rounded-lg border border-line-strong bg-raised p-1 shadow-float outline-none"
          >
            <Items id={shown.id} later={later} {...props} />
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}

function rowOf(id: string): HTMLElement | null {
  return document.querySelector<HTMLElement>(`[role="treeitem"][data-key="${CSS.escape(id)}"]`);
}

function Items({ id, world, later, onShare }: Props & { id: string; later: Later }) {
  const text = useText();
  const session = useSession(id);
  if (!session) return null;
  return (
    <>
      <Arranging session={session} world={world} later={later} />
      <MenuSeparator />
      <MenuItem icon={<FileText size={14} />} onSelect={() => exportAs(world, id, 'markdown')}>
        {text('sidebar.exportMarkdown')}
      </MenuItem>
      <MenuItem icon={<FileJson size={14} />} onSelect={() => exportAs(world, id, 'json')}>
        {text('sidebar.exportJson')}
      </MenuItem>
      {onShare && (
        <MenuItem icon={<Share2 size={14} />} onSelect={() => later(() => onShare(id))}>
          {text('sidebar.share')}
        </MenuItem>
      )}
      <MenuSeparator />
      <Ending session={session} world={world} later={later} />
    </>
  );
}

interface Group {
  session: Session;
  world: World;
  later: Later;
}

function Arranging({ session, world, later }: Group) {
  const text = useText();
  const { id, pinnedAt, unreadCount } = session;
  const isPinned = pinnedAt !== null;
  return (
    <>
      <MenuItem icon={<Pencil size={14} />} keys="F2" onSelect={() => later(() => rename(id))}>
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
      {unreadCount > 0 && (
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
      <MenuItem danger icon={<Trash2 size={14} />} keys="Del" onSelect={() => remove(world, [id])}>
        {text('sidebar.delete')}
      </MenuItem>
    </>
  );
}
