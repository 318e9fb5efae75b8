import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useAgents } from '../../live/use-agents.ts';
import { useLive, useLiveConnection } from '../../live/use-live.ts';
import type { Vocabulary } from './completion.ts';

/** Names to choose from. What cannot be read is not offered; it can be typed all the same. */
export function useVocabulary(): Vocabulary {
  const { client } = useLiveConnection();
  const version = useLive((state) => state.configurationVersion);
  const agents = useAgents();
  const tools = useQuery({ queryKey: ['tools', version], queryFn: () => client.listTools() });
  const templates = useQuery({ queryKey: ['templates', version], queryFn: () => client.listTemplates() });
  return useMemo(
    () => ({
      agents: agents.map(({ agentId }) => agentId),
      tools: tools.data?.tools.map(({ name }) => name) ?? [],
      templates: templates.data?.templates.map(({ templateId }) => templateId) ?? [],
    }),
    [agents, tools.data, templates.data],
  );
}
