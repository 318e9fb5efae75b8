import { useQuery } from '@tanstack/react-query';
import type { Agent } from '../../contract/agents.ts';
import { useLive, useLiveConnection } from './use-live.ts';

/** Everyone there is, hidden agents too: an old message may be theirs. Read anew when the configuration changes. */
export function useAgents(): readonly Agent[] {
  const { client } = useLiveConnection();
  const version = useLive((state) => state.configurationVersion);
  const { data } = useQuery({
    queryKey: ['agents', version],
    queryFn: () => client.listAgents({ hidden: true }),
    placeholderData: (before) => before,
  });
  return data?.agents ?? NOBODY;
}

const NOBODY: readonly Agent[] = [];

export function useAgent(agentId: string | null): Agent | undefined {
  return useAgents().find((agent) => agent.agentId === agentId);
}
