import { useQuery } from '@tanstack/react-query';
import type { Agent } from '../../contract/agents.ts';
import type { Session } from '../../contract/sessions.ts';
import { agentLabel } from '../../contract/speakers.ts';
import { useText } from '../i18n/text.ts';
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
    queryFn: () => client.call('listAgents', { query: { hidden: true } }),
    placeholderData: (before) => before,
  });
}

const NOBODY: readonly Agent[] = [];

/** An agent by the name that is set for it; one that no longer exists by its id. */
export function nameOfAgent(agents: readonly Agent[], agentId: string): string {
  return agents.find((agent) => agent.agentId === agentId)?.displayName ?? agentLabel(agentId);
}

/** The same inside components; empty for no agent. */
export function useAgentName(agentId: string | null): string {
  const agents = useAgents();
  return agentId === null ? '' : nameOfAgent(agents, agentId);
}

export function useAgentNames(): (agentId: string) => string {
  const agents = useAgents();
  return (agentId) => nameOfAgent(agents, agentId);
}

export function useAgent(agentId: string | null): Agent | undefined {
  return useAgents().find((agent) => agent.agentId === agentId);
}

/** The name of who said what a session's snippet shows. */
export function useSpeakerName({ lastSpeaker, agentId }: Session): string {
  const text = useText();
  const speaker = lastSpeaker?.agent ?? agentId;
  const name = useAgentName(speaker);
  if (lastSpeaker?.kind === 'person') return text('conversation.you');
  if (lastSpeaker?.kind === 'webhook') return text('conversation.webhook', { name: lastSpeaker.webhook ?? '' });
  return name;
}
