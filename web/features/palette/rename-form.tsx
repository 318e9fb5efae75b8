import { type FormEvent, type RefObject, useState } from 'react';
import { sessionTitle } from '../../i18n/session-title.ts';
import { useText } from '../../i18n/text.ts';
import { useSession } from '../../live/use-live.ts';
import { useSessionDeps } from '../../state/session-deps.ts';
import { rename } from '../../state/session-verbs.ts';

interface Props {
  sessionId: string;
  input: RefObject<HTMLInputElement | null>;
  onClose(): void;
}

/** The palette's second step: the new name of the session that is open. */
export function RenameForm({ sessionId, input, onClose }: Props) {
  const text = useText();
  const deps = useSessionDeps();
  const session = useSession(sessionId);
  const [name, setName] = useState(sessionTitle(session?.title));
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const wanted = name.trim();
    if (wanted === '') return;
    if (wanted === sessionTitle(session?.title) || (await rename(deps, sessionId, wanted))) onClose();
  };
  return (
    <form onSubmit={(event) => void submit(event)}>
      <input
        ref={input}
        // biome-ignore lint/a11y/noAutofocus: the person asked to write here
        autoFocus
        value={name}
        maxLength={200}
        aria-label={text('sidebar.newName')}
        onFocus={(event) => event.target.select()}
        onChange={(event) => setName(event.target.value)}
        className="h-11 w-full bg-transparent px-4 text-md outline-none"
      />
      <p className="border-t border-line px-4 py-2 text-xs text-fg-3">{text('palette.renameHint')}</p>
    </form>
  );
}
