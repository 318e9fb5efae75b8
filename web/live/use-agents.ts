import { useQuery } from '@tanstack/react-query';
import type { Agent } from '../../contract/agents.ts';
import { useLive, useLiveConnection } from './use-live.ts';

/** Everyone there is, hidden agents too: an old message may be theirs. Read anew when the configuration changes. */
export function useAgents(): readonly Agent[] {
  return useAgentList().data?.agents ?? NOBODY;
}

/** The same with whether it could be read, and whether the files on disk are in force. */
export function useAgentList() {
  const { client } = useLiveConnection();
  const version = useLive((state) => state.configurationVersion);
  return useQuery({
    queryKey: ['agents', version],
    queryFn: () => client.listAgents({ hidden: true }),
    placeholderData: (before) => before,
  });
}

const NOBODY: readonly Agent[] = [];

export function useAgent(agentId: string | null): Agent | undefined {
  return useAgents().find((agent) => agent.agentId === agentId);
}
