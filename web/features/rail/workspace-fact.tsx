import { useQuery } from '@tanstack/react-query';
import { FolderCog } from 'lucide-react';
import type { AgentWorkspace } from '../../../contract/agents.ts';
import type { Session } from '../../../contract/sessions.ts';
import { useText } from '../../i18n/text.ts';
import { useLive, useLiveConnection } from '../../live/use-live.ts';
import { ask } from '../../state/open-dialogs.ts';
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

interface Place {
  readonly folder: string;
  readonly isWorktree: boolean;
}

/** The folder that was chosen for the session, else the one that the definition of its agent names; null: each its own. */
function usePlace({ workspace, agentId }: Session): Place | null {
  const { client } = useLiveConnection();
  const version = useLive((state) => state.configurationVersion);
  const own = useQuery({
    queryKey: ['agent', agentId, version],
    queryFn: () => client.call('getAgent', { agentId: agentId! }),
    enabled: workspace === null && agentId !== null,
    retry: false,
  });
  if (workspace) return { folder: workspace.folder, isWorktree: workspace.worktree };
  return placeOf(own.data?.resolved.workspace);
}

function placeOf(workspace: AgentWorkspace | null | undefined): Place | null {
  if (!workspace?.folder || workspace.per === 'session') return null;
  return { folder: workspace.folder, isWorktree: workspace.per === 'worktree' };
}
