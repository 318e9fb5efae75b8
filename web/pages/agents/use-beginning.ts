import { useQuery } from '@tanstack/react-query';
import type { ParleyClient } from '../../../client/parley-client.ts';
import { usualChat } from '../../../client/usual-chat.ts';
import type { AgentDefinition } from '../../../contract/agents.ts';
import { AppError } from '../../../contract/errors.ts';
import { text } from '../../i18n/text.ts';
import { useLiveConnection } from '../../live/use-live.ts';
import { blankAgent, copyOf, fromDiscovered, fromTemplate } from './beginnings.ts';

export interface Wish {
  from?: string;
  template?: string;
  discovered?: string;
  blank?: boolean;
}

/** What a new agent begins as. Read once: it is the person's from then on. */
export function useBeginning(wish: Wish) {
  const { client } = useLiveConnection();
  return useQuery({
    queryKey: ['beginning', wish],
    queryFn: () => begin(client, wish),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    retry: false,
  });
}

async function begin(client: ParleyClient, wish: Wish): Promise<AgentDefinition> {
  const { agents } = await client.call('listAgents', { query: { hidden: true } });
  if (wish.from !== undefined) {
    const { definition, displayName } = await client.call('getAgent', { agentId: wish.from });
    return copyOf(definition, text('agents.copyName', { name: displayName }), agents);
  }
  if (wish.discovered !== undefined) {
    const discovered = await client.call('listDiscovered');
    return fromDiscovered(found(discovered.agents.find(({ agentId }) => agentId === wish.discovered)), agents);
  }
  const chat = await usualChat(client, agents);
  if (wish.template === undefined) return blankAgent(chat);
  const { templates } = await client.call('listTemplates');
  return fromTemplate(found(templates.find(({ templateId }) => templateId === wish.template)), agents, chat);
}

function found<T>(thing: T | undefined): T {
  if (thing === undefined) throw new AppError('agent_not_found', text('agents.noBeginning'));
  return thing;
}
