import { Check, Folder, FolderMinus } from 'lucide-react';
import { type FormEvent, useRef, useState } from 'react';
import { useText } from '../../i18n/page-words.ts';
import { sessionTitle } from '../../i18n/text.ts';
import { useLive } from '../../live/use-live.ts';
import { folderNames } from '../../state/order.ts';
import type { SessionDeps } from '../../state/session-deps.ts';
import { clearHistory, moveTo, sessionOf } from '../../state/session-verbs.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { selectNone } from './selection.ts';

interface Props {
  ids: readonly string[];
  deps: SessionDeps;
  onClose(): void;
}

/** Into a folder that is there, a new one, or none. */
export function MoveDialog({ ids, deps, onClose }: Props) {
  const text = useText();
  const sessions = useLive((state) => state.sessions);
  const folders = folderNames(sessions);
  const inFolder = new Set(ids.map((id) => sessionOf(deps, id)?.folder ?? null));
  const current = inFolder.size === 1 ? [...inFolder][0] : undefined;
  const choose = (folder: string | null) => {
    onClose();
    selectNone();
    if (folder !== current) void moveTo(deps, ids, folder);
  };
  const title = sessionTitle(sessionOf(deps, ids[0]!)?.title);
  const heading =
    ids.length === 1 ? text('sidebar.moveOne', { title }) : text('sidebar.moveMany', { count: ids.length });
  return (
    <Dialog open onClose={onClose} title={heading}>
      <NewFolder onCreate={choose} />
      <ul aria-label={text('sidebar.folders')} className="mt-3 flex flex-col">
        {folders.map((name) => (
          <Choice key={name} name={name} isCurrent={name === current} onChoose={() => choose(name)} />
        ))}
        <Choice name={null} isCurrent={current === null} onChoose={() => choose(null)} />
      </ul>
    </Dialog>
  );
}

function NewFolder({ onCreate }: { onCreate(name: string): void }) {
  const text = useText();
  const [name, setName] = useState('');
  const field = useRef<HTMLInputElement>(null);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (name.trim() !== '') onCreate(name.trim());
  };
  return (
    <form className="flex gap-2" onSubmit={submit}>
      <input
        ref={field}
        // biome-ignore lint/a11y/noAutofocus: the dialog was opened to choose here
        autoFocus
        value={name}
        maxLength={200}
        onChange={(event) => setName(event.target.value)}
        aria-label={text('sidebar.newFolder')}
        placeholder={text('sidebar.newFolder')}
        className="h-8 min-w-0 flex-1 rounded-md border border-line-strong bg-bg px-2"
      />
      <Button type="submit" className="h-8" disabled={name.trim() === ''}>
        {text('sidebar.moveHere')}
      </Button>
    </form>
  );
}

function Choice({ name, isCurrent, onChoose }: { name: string | null; isCurrent: boolean; onChoose(): void }) {
  const text = useText();
  const Icon = name === null ? FolderMinus : Folder;
  return (
    <li>
      <button
        type="button"
        aria-current={isCurrent || undefined}
        onClick={onChoose}
        className="flex h-8 w-full items-center gap-2 rounded-md px-2 text-left hover:bg-hover"
      >
        <Icon size={14} aria-hidden="true" className="flex-none text-fg-3" />
        <span dir="auto" className="min-w-0 flex-1 truncate">
          {name ?? text('sidebar.noFolder')}
        </span>
        {isCurrent && <Check size={14} aria-hidden="true" className="text-accent" />}
      </button>
    </li>
  );
}

/** The one thing here that cannot be taken back. */
export function ClearDialog({ id, deps, onClose }: { id: string; deps: SessionDeps; onClose(): void }) {
  const text = useText();
  const session = sessionOf(deps, id);
  const clear = () => {
    onClose();
    void clearHistory(deps, id);
  };
  return (
    <Dialog
      open
      onClose={onClose}
      title={text('sidebar.clearTitle')}
      footer={
        <>
          <Button onClick={onClose}>{text('action.cancel')}</Button>
          <Button look="danger" onClick={clear}>
            {text('sidebar.clearGo')}
          </Button>
        </>
      }
    >
      <p>{text('sidebar.clearWhat', { title: sessionTitle(session?.title), count: session?.messageCount ?? 0 })}</p>
    </Dialog>
  );
}
