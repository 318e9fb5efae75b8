import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useLive, useLiveConnection } from '../../live/use-live.ts';
import { notify } from '../../ui/toast.tsx';

/** One team with what its orchestrator lacks. Read again when teams or agents change, here or elsewhere. */
export function useTeam(teamId: string) {
  const { client } = useLiveConnection();
  const teams = useLive((state) => state.templatesVersion);
  const agents = useLive((state) => state.configurationVersion);
  return useQuery({
    queryKey: ['teams', teamId, teams, agents],
    queryFn: () => client.call('getTeam', { teamId }),
    staleTime: 0,
    retry: false,
    placeholderData: (before) => (before?.id === teamId ? before : undefined),
  });
}

/** Does something to teams and reads them again; says what went wrong. */
export function useTeamChange() {
  const queries = useQueryClient();
  return async (work: () => Promise<unknown>, say: (problem: string) => void = (title) => void notify({ title })) => {
    try {
      await work();
      await queries.invalidateQueries({ queryKey: ['teams'] });
      return true;
    } catch (error) {
      say((error as Error).message);
      return false;
    }
  };
}
