import { type KeyboardEvent, useRef } from 'react';
import type { Session } from '../../../contract/sessions.ts';
import { sessionTitle } from '../../i18n/session-title.ts';
import { useText } from '../../i18n/text.ts';
import type { SessionDeps } from '../../state/session-deps.ts';
import { rename } from '../../state/session-verbs.ts';
import { rename as endRename } from './list-state.ts';

/** Enter and leaving keep the name, Escape does not; a name that cannot be had stays to be changed. */
export function RenameField({ session, deps }: { session: Session; deps: SessionDeps }) {
  const text = useText();
  const field = useRef<HTMLInputElement>(null);
  const done = useRef(false);
  const end = () => {
    done.current = true;
    const row = field.current?.closest<HTMLElement>('[role="treeitem"]');
    endRename(null);
    // Nobody else has taken the keyboard meanwhile.
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
