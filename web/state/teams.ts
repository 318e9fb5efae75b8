import { useQuery } from '@tanstack/react-query';
import type { Team } from '../../contract/teams.ts';
import type { Live } from '../live/live.ts';
import { useLive, useLiveConnection } from '../live/use-live.ts';
import { notify } from '../ui/toast.tsx';
import type { Navigate } from './new-session.ts';
import { ask } from './open-dialogs.ts';
import { closeOverlays } from './panes.ts';

const NONE: readonly Team[] = [];

export function useTeams(): readonly Team[] {
  return useTeamList().data?.teams ?? NONE;
}

/** By name, with whether they could be read. Read again when teams change, here or elsewhere. */
export function useTeamList() {
  const { client } = useLiveConnection();
  const version = useLive((state) => state.templatesVersion);
  return useQuery({
    queryKey: ['teams', version],
    queryFn: () => client.call('listTeams'),
    staleTime: 0,
    placeholderData: (before) => before,
  });
}

/** Goes to a new session whose primary is the orchestrator. */
export async function beginWithTeam(live: Live, navigate: Navigate, team: Team): Promise<void> {
  try {
    const session = await live.client.call('createSession', { body: { teamId: team.id } });
    live.note(session);
    closeOverlays();
    await navigate({ to: '/sessions/$sessionId', params: { sessionId: session.id } });
  } catch (error) {
    notify({ title: (error as Error).message });
  }
}

/** Asks how the agents of a session are to be kept as a team. */
export function saveAsTeam(sessionId: string): void {
  closeOverlays();
  ask({ kind: 'saveTeam', id: sessionId });
}
