import type { ChatOptions } from '../commands/chat.ts';
import type { Connection } from '../connect.ts';
import { requireTeam } from '../find-team.ts';
import { chooseWorkspace } from '../workspace-option.ts';

/** Talks in a new session that begins with a team: with the orchestrator, or with the agent that is named. */
export async function beginWithTeam(
  connection: Connection,
  options: ChatOptions,
  content: string | undefined,
  name: string | undefined,
): Promise<void> {
  const { client } = connection;
  const team = await requireTeam(client, options.team!);
  const { agent } = options;
  const body = { teamId: team.id, ...(agent && { agentId: agent }), ...(name && { name }) };
  const session = await chooseWorkspace(client, await client.call('createSession', { body }), options);
  const question = { ...options, agent: agent ?? team.agents[0]!, session: session.title };
  if (content !== undefined) {
    const { askIn } = await import('./ask-once.ts');
    await askIn(connection, session, question, content);
    return;
  }
  const { converse } = await import('./converse.ts');
  await converse(connection, question, { sessionId: session.id, draft: '' });
}
