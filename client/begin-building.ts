import { BUILDER } from '../contract/builder.ts';
import { AppError } from '../contract/errors.ts';
import type { ParleyClient } from './parley-client.ts';
import { usualChat } from './usual-chat.ts';

/** Creates the builder from its template where it does not exist yet, or was deleted. */
export async function ensureBuilder(client: ParleyClient): Promise<void> {
  const { agents } = await client.call('listAgents', { query: { hidden: true } });
  if (agents.some(({ agentId }) => agentId === BUILDER.agentId)) return;
  const chat = await usualChat(client, agents);
  await client
    .call('createAgent', { body: { agentId: BUILDER.agentId, extends: BUILDER.template, chat } })
    .catch((error) => {
      // Another client created it at the same moment.
      if (!(error instanceof AppError && error.code === 'agent_exists')) throw error;
    });
}

/** A session with the builder that begins with what is wanted; gives its id. */
export async function beginBuilding(client: ParleyClient, words: string): Promise<string> {
  await ensureBuilder(client);
  const { id } = await client.call('createSession', { body: { agentId: BUILDER.agentId } });
  await client.sendMessage(id, { content: words });
  return id;
}
