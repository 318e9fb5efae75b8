import { type KeyboardEvent, useRef } from 'react';
import type { Session } from '../../../contract/sessions.ts';
import { sessionTitle } from '../../i18n/session-title.ts';
import { useText } from '../../i18n/text.ts';
import { useSessionDeps } from '../../state/session-deps.ts';
import { rename } from '../../state/session-verbs.ts';

interface Props {
  session: Session;
  isRenaming: boolean;
  onRenaming(isRenaming: boolean): void;
}

/** The session's name. A double click, Enter or F2 on it changes it. */
export function SessionName({ session, isRenaming, onRenaming: setRenaming }: Props) {
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
