import { Folder, FolderGit2 } from 'lucide-react';
import type { Session } from '../../../contract/sessions.ts';
import { useText } from '../../i18n/text.ts';
import { ask } from '../../state/open-dialogs.ts';
import { usePlace } from '../../state/workspace-place.ts';

/** The folder in which the agents of the session work, by its name; choosing another one is a click away. Nothing where none is named. */
export function WorkspaceButton({ session }: { session: Session }) {
  const text = useText();
  const place = usePlace(session);
  if (!place) return null;
  const { folder, isWorktree } = place;
  const Icon = isWorktree ? FolderGit2 : Folder;
  return (
    <button
      type="button"
      title={folder}
      aria-label={text('workspace.named', { folder })}
      onClick={() => ask({ kind: 'workspace', id: session.id })}
      className="inline-flex min-h-6 max-w-40 flex-none items-center gap-1 rounded-md px-1.5 text-xs text-fg-2 touch:min-h-11 touch:min-w-11 hover:bg-hover hover:text-fg max-[520px]:max-w-11"
    >
      <Icon size={13} aria-hidden="true" className="flex-none" />
      <bdi className="truncate font-mono max-[520px]:hidden">{nameOf(folder)}</bdi>
    </button>
  );
}

function nameOf(folder: string): string {
  return folder.split('/').findLast((part) => part !== '') ?? folder;
}
