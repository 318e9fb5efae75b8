import { useQuery } from '@tanstack/react-query';
import type { AgentWorkspace } from '../../contract/agents.ts';
import type { Session } from '../../contract/sessions.ts';
import { useLive, useLiveConnection } from '../live/use-live.ts';

/** Where the agents of a session work. */
export interface Place {
  readonly folder: string;
  readonly isWorktree: boolean;
}

/** The folder that was chosen for the session, else the one that the definition of its agent names; null: each its own. */
export function usePlace({ workspace, agentId }: Session): Place | null {
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
