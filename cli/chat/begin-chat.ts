import type { ParleyClient } from '../../client/parley-client.ts';
import type { Session } from '../../contract/sessions.ts';
import type { SessionTemplate } from '../../contract/templates.ts';
import type { ChatOptions } from '../commands/chat.ts';
import type { Connection } from '../connect.ts';
import { CommandFailure, EXIT_USAGE } from '../failure.ts';
import { requireTemplate } from '../find-template.ts';
import { chooseWorkspace } from '../workspace-option.ts';

/**
 * Talks in a new session made from a template. A given message is sent after the opening, in one message; without
 * one the input line begins with the opening, or the opening is sent already where the template says so.
 */
export async function beginChat(
  connection: Connection,
  options: ChatOptions,
  asked: string | undefined,
  name: string | undefined,
): Promise<void> {
  const { client } = connection;
  const template = await requireTemplate(client, options.template!);
  const agent = chooseAgent(template, options);
  const content = asked === undefined ? undefined : afterOpening(template, asked);
  if (content === '') throw new CommandFailure('No message: the template has no opening message. Use -m.', EXIT_USAGE);
  const session = await chooseWorkspace(client, await begin(client, template, agent, name), options);
  const question = { ...options, agent, session: session.title };
  if (content !== undefined) {
    const { askIn } = await import('./ask-once.ts');
    await askIn(connection, session, question, content);
    return;
  }
  const { converse } = await import('./converse.ts');
  await converse(connection, question, { sessionId: session.id, draft: await openWith(client, template, session) });
}

function chooseAgent({ name, agentId }: SessionTemplate, { agent }: ChatOptions): string {
  const chosen = agent ?? agentId;
  if (chosen !== null) return chosen;
  throw new CommandFailure(`The template "${name}" has no agent. Choose one with -a.`, EXIT_USAGE);
}

function afterOpening({ opening }: SessionTemplate, asked: string): string {
  const begun = opening.trim();
  if (begun === '' || asked.trim() === '') return begun || asked.trim();
  return `${begun}${isUnfinished(opening) && !asked.startsWith('```') ? ' ' : '\n\n'}${asked}`;
}

/** An opening such as "Yesterday I" is a sentence to go on with; one that ends a sentence or a line stands for itself. */
function isUnfinished(opening: string): boolean {
  return !/[.!?:;…。！？：\n]["')\]”’»]*$/u.test(opening.replace(/[ \t]+$/, ''));
}

/** An agent that is named goes before the template's own, which may be gone. */
function begin(client: ParleyClient, { id, agentId }: SessionTemplate, agent: string, name?: string): Promise<Session> {
  return client.call('createSession', {
    body: { templateId: id, ...(agent !== agentId && { agentId: agent }), ...(name && { name }) },
  });
}

/** What is left to be finished: one line, as that is all a terminal has to type on. */
async function openWith(client: ParleyClient, template: SessionTemplate, session: Session): Promise<string> {
  const { opening, sendsOpening } = template;
  if (!sendsOpening || opening.trim() === '') return opening.replaceAll(/\s*\n\s*/g, ' ');
  await client.sendMessage(session.id, { content: opening.trim() });
  return '';
}
