import { Link } from '@tanstack/react-router';
import { Ellipsis, Search } from 'lucide-react';
import { type KeyboardEvent, useCallback, useEffect, useRef, useState } from 'react';
import type { Session } from '../../../contract/sessions.ts';
import { sessionTitle, useText } from '../../i18n/text.ts';
import { useSession } from '../../live/use-live.ts';
import { openFind } from '../../state/find-state.ts';
import { useSessionDeps } from '../../state/session-deps.ts';
import { rename } from '../../state/session-verbs.ts';
import { spell } from '../../state/shortcuts.ts';
import { useSlots } from '../../state/slots.tsx';
import { IconButton } from '../../ui/button.tsx';
import { Menu } from '../../ui/menu.tsx';
import { StatusDot, useShownStatus } from '../../ui/status-dot.tsx';
import { useKnownSession } from './opened-session.tsx';
import { WorkspaceButton } from './workspace-button.tsx';

/** What this is, how it is with it, and where it comes from. */
export function TitleBar({ sessionId }: { sessionId: string }) {
  const text = useText();
  const session = useSession(sessionId);
  const { OpenPanelMenu } = useSlots();
  const [isRenaming, setRenaming] = useState(false);
  if (!session) return null;
  return (
    <header className="flex h-11 flex-none items-center gap-2 border-b border-line pr-1.5 pl-4">
      <SessionName session={session} isRenaming={isRenaming} onRenaming={setRenaming} />
      <Parent session={session} />
      <WorkspaceButton session={session} />
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
      <OpenPanelMenu sessionId={sessionId} />
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

interface Props {
  session: Session;
  isRenaming: boolean;
  onRenaming(isRenaming: boolean): void;
}

/** The session's name. A double click, Enter or F2 on it changes it. */
function SessionName({ session, isRenaming, onRenaming: setRenaming }: Props) {
  const text = useText();
  const heading = useRef<HTMLButtonElement>(null);
  if (isRenaming)
    return (
      <NameField
        session={session}
        onEnd={(isByKey) => {
          setRenaming(false);
          if (isByKey) requestAnimationFrame(() => heading.current?.focus());
        }}
      />
    );
  return (
    <h1 className="flex min-w-0 text-sm font-semibold">
      <button
        ref={heading}
        type="button"
        title={text('conversation.renameHint', { title: sessionTitle(session.title) })}
        onDoubleClick={() => setRenaming(true)}
        onKeyDown={(event) => {
          if (event.key !== 'F2' && event.key !== 'Enter') return;
          event.preventDefault();
          setRenaming(true);
        }}
        dir="auto"
        className="min-h-6 min-w-0 cursor-text truncate rounded-sm text-start touch:min-h-11 touch:min-w-11"
      >
        {sessionTitle(session.title)}
      </button>
    </h1>
  );
}

/** Enter and leaving keep the name, Escape does not; a name that cannot be had stays to be changed. */
function NameField({ session, onEnd }: { session: Session; onEnd(isByKey: boolean): void }) {
  const text = useText();
  const deps = useSessionDeps();
  const field = useRef<HTMLInputElement>(null);
  const isOver = useRef(false);
  const end = (isByKey: boolean) => {
    if (isOver.current) return;
    isOver.current = true;
    onEnd(isByKey);
  };
  const keep = async (isByKey: boolean) => {
    const name = field.current?.value.trim() ?? '';
    if (isOver.current) return;
    if (name === '' || name === sessionTitle(session.title) || (await rename(deps, session.id, name))) end(isByKey);
    else field.current?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    event.stopPropagation();
    if (event.nativeEvent.isComposing) return;
    if (event.key === 'Enter') void keep(true);
    if (event.key === 'Escape') end(true);
  };
  return (
    <input
      ref={(element) => {
        field.current = element;
        element?.select();
      }}
      // biome-ignore lint/a11y/noAutofocus: the person asked to write here
      autoFocus
      defaultValue={sessionTitle(session.title)}
      maxLength={200}
      aria-label={text('sidebar.newName')}
      onKeyDown={onKeyDown}
      onBlur={() => void keep(false)}
      className="h-7 min-w-0 flex-1 rounded-md border border-line-strong bg-bg px-1.5 text-sm font-semibold"
    />
  );
}
