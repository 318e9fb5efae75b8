import { FolderCog } from 'lucide-react';
import type { Session } from '../../../contract/sessions.ts';
import { useText } from '../../i18n/text.ts';
import { ask } from '../../state/open-dialogs.ts';
import { usePlace } from '../../state/workspace-place.ts';
import { IconButton } from '../../ui/button.tsx';

/** Where the agents of a session work, and a way to choose another folder. */
export function WorkspaceFact({ session }: { session: Session }) {
  const text = useText();
  const place = usePlace(session);
  return (
    <div className="flex items-center gap-1 px-2 text-xs">
      <span className="flex-none text-fg-3">{text('workspace.title')}</span>
      <span className="min-w-0 flex-1 truncate text-end text-fg-2" title={place?.folder}>
        {place ? <bdi className="font-mono">{place.folder}</bdi> : text('workspace.unset')}
        {place?.isWorktree && ` (${text('workspace.worktreeShort')})`}
      </span>
      <IconButton label={text('workspace.change')} onClick={() => ask({ kind: 'workspace', id: session.id })}>
        <FolderCog size={13} />
      </IconButton>
    </div>
  );
}
