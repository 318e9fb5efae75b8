import { type FormEvent, useId, useState } from 'react';
import type { Session, SessionWorkspace } from '../../../contract/sessions.ts';
import { useText } from '../../i18n/page-words.ts';
import { useLiveConnection, useSession } from '../../live/use-live.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';

interface Props {
  sessionId: string;
  onClose(): void;
}

/** Chooses the folder in which the agents of a session work. */
export function WorkspaceDialog({ sessionId, onClose }: Props) {
  const session = useSession(sessionId);
  return session ? <WorkspaceForm session={session} onClose={onClose} /> : null;
}

function WorkspaceForm({ session, onClose }: { session: Session; onClose(): void }) {
  const text = useText();
  const live = useLiveConnection();
  const id = useId();
  const [folder, setFolder] = useState(session.workspace?.folder ?? '');
  const [worktree, setWorktree] = useState(session.workspace?.worktree ?? false);
  const [problem, setProblem] = useState<string | null>(null);
  const save = (workspace: SessionWorkspace | null) =>
    void live.client.call('patchSession', { sessionId: session.id, body: { workspace } }).then(
      (changed) => {
        live.note(changed);
        onClose();
      },
      (error: Error) => setProblem(error.message),
    );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save(folder.trim() === '' ? null : { folder: folder.trim(), worktree });
  };
  const buttons = (
    <>
      {session.workspace && <Button onClick={() => save(null)}>{text('workspace.clear')}</Button>}
      <Button look="primary" type="submit" form={id}>
        {text('workspace.save')}
      </Button>
    </>
  );
  return (
    <Dialog open onClose={onClose} title={text('workspace.title')} footer={buttons}>
      <form id={id} onSubmit={submit} className="flex flex-col gap-3 text-sm">
        <label className="flex flex-col gap-1">
          {text('workspace.folder')}
          <input
            value={folder}
            onChange={(event) => {
              setFolder(event.target.value);
              setProblem(null);
            }}
            placeholder="/home/me/project"
            spellCheck={false}
            autoCapitalize="off"
            aria-describedby={`${id}-hint`}
            className="min-h-9 touch:min-h-11 rounded-md border border-line-strong bg-surface px-2.5 font-mono"
          />
        </label>
        <p id={`${id}-hint`} className="text-xs text-fg-3">
          {text('workspace.hint')}
        </p>
        <label className="flex min-h-7 touch:min-h-11 items-center gap-2">
          <input type="checkbox" checked={worktree} onChange={(event) => setWorktree(event.target.checked)} />
          {text('workspace.worktree')}
        </label>
        {problem && (
          <p role="alert" className="text-danger">
            {problem}
          </p>
        )}
      </form>
    </Dialog>
  );
}
