import { Link } from '@tanstack/react-router';
import { Ellipsis, Search } from 'lucide-react';
import { useCallback, useEffect, useRef, useState } from 'react';
import type { Session } from '../../../contract/sessions.ts';
import { sessionTitle } from '../../i18n/session-title.ts';
import { useText } from '../../i18n/text.ts';
import { useSession } from '../../live/use-live.ts';
import { openFind } from '../../state/find-state.ts';
import { useSessionDeps } from '../../state/session-deps.ts';
import { spell } from '../../state/shortcuts.ts';
import { useSlots } from '../../state/slots.tsx';
import { IconButton } from '../../ui/button.tsx';
import { Menu } from '../../ui/menu.tsx';
import { StatusDot, useShownStatus } from '../../ui/status-dot.tsx';
import { useKnownSession } from './opened-session.tsx';
import { SessionName } from './session-name.tsx';

/** What this is, how it is with it, and where it comes from. */
export function TitleBar({ sessionId }: { sessionId: string }) {
  const text = useText();
  const session = useSession(sessionId);
  const [isRenaming, setRenaming] = useState(false);
  if (!session) return null;
  return (
    <header className="flex h-11 flex-none items-center gap-2 border-b border-line pr-1.5 pl-4">
      <SessionName session={session} isRenaming={isRenaming} onRenaming={setRenaming} />
      <Parent session={session} />
      <span className="ml-auto flex flex-none items-center gap-1.5 text-xs text-fg-2">
        <StatusDot status={session.status} />
        <StatusWord status={session.status} />
      </span>
      <IconButton
        label={`${text('keys.find')} (${spell('Mod+f')})`}
        disabled={session.messageCount === 0}
        onClick={() => openFind(sessionId)}
      >
        <Search size={15} />
      </IconButton>
      <SessionMenu sessionId={sessionId} onRename={() => setRenaming(true)} />
    </header>
  );
}

function StatusWord({ status }: Pick<Session, 'status'>) {
  const text = useText();
  const shown = useShownStatus(status);
  return (
    <span aria-hidden="true" className="max-[520px]:hidden">
      {text(`status.${shown}`)}
    </span>
  );
}

/** Where the work done here was asked for. */
function Parent({ session }: { session: Session }) {
  const text = useText();
  const parent = useKnownSession(session.parentSessionId);
  if (!parent) return null;
  const key = session.type === 'tool-execution' ? 'conversation.openedBy' : 'conversation.worksFor';
  return (
    <Link
      to="/sessions/$sessionId"
      params={{ sessionId: parent.id }}
      className="inline-flex min-h-6 max-w-[45%] touch:min-h-11 items-center text-xs text-link underline underline-offset-2"
    >
      <span className="truncate">{text(key, { title: sessionTitle(parent.title) })}</span>
    </Link>
  );
}

/** What can be done with the open session; the same as in the menu of its row. */
function SessionMenu({ sessionId, onRename }: { sessionId: string; onRename(): void }) {
  const text = useText();
  const deps = useSessionDeps();
  const { SessionMenuItems } = useSlots();
  /** Stays until the menu is opened again: the trigger takes the focus only if nothing else is to have it. */
  const next = useRef<(() => void) | null>(null);
  const later = (open: () => void) => {
    next.current = open;
  };
  const forget = useCallback(() => {
    next.current = null;
  }, []);
  const trigger = (
    <IconButton label={text('conversation.actions')}>
      <Ellipsis size={15} />
    </IconButton>
  );
  return (
    <Menu trigger={trigger} onClosed={() => next.current?.()} finalFocus={() => next.current === null}>
      <WhenOpened run={forget} />
      <SessionMenuItems id={sessionId} deps={deps} later={later} onRename={onRename} />
    </Menu>
  );
}

/** What is in a menu exists only while the menu is open. */
function WhenOpened({ run }: { run(): void }) {
  useEffect(run, [run]);
  return null;
}
