import type { ParleyClient } from '../../client/parley-client.ts';
import type { Session } from '../../contract/sessions.ts';
import type { SendMessageInput } from '../../contract/turns.ts';
import type { ChatOptions as Question } from '../commands/chat.ts';
import type { Connection } from '../connect.ts';
import { openSession } from '../find-session.ts';
import { type Followed, sendAndFollow } from '../follow/follow.ts';
import { assertComplete } from '../follow/turn-outcome.ts';
import { note } from '../output.ts';
import { safeLine } from '../terminal-text.ts';
import { chooseWorkspace, workspaceIn } from '../workspace-option.ts';

/** Sends one message and shows the answer of every agent it addresses. Throws unless all of them are complete. */
export async function askOnce(connection: Connection, question: Question, content: string): Promise<void> {
  if (question.new) return askAfresh(connection, question, content);
  const session = await prepareSession(connection.client, question, content);
  const followed = await askIn(connection, session, question, content);
  if (followed.turns[0]?.steeredInto) note('Added to the reply in progress.');
}

/** The same in a session that is there already. */
export async function askIn(
  connection: Connection,
  session: Session,
  question: Question,
  content: string,
): Promise<Followed> {
  const followed = await ask(connection, session, question, content);
  assertComplete(followed, session.name ?? session.id);
  return followed;
}

/** The old session keeps its name until the new one has an answer: a call that fails changes nothing. */
async function askAfresh(connection: Connection, question: Question, content: string): Promise<void> {
  const { client } = connection;
  if (question.guest) await client.call('getAgent', { agentId: question.guest });
  const { agent } = question;
  const session = await client.call('createSession', {
    body: { ...(agent && { agentId: agent }), ...workspaceIn(question) },
  });
  const followed = await ask(connection, session, question, content).catch((error) => {
    sayWhere(question, session);
    throw error;
  });
  if (followed.turns.every(({ state }) => state === 'complete'))
    await client.call('renameSession', { sessionId: session.id, body: { name: question.session, replace: true } });
  else sayWhere(question, session);
  assertComplete(followed, session.id);
}

function sayWhere(question: Question, session: Session): void {
  note(`Session "${safeLine(question.session)}" is unchanged; this attempt is in session ${session.id}.`);
}

/**
 * With a guest, -a says whose session it is; without -a the session keeps its agent, or has none yet. An unknown guest is
 * refused before anything is written.
 */
async function prepareSession(client: ParleyClient, question: Question, content: string): Promise<Session> {
  const { agent, guest, session: name } = question;
  if (guest) await client.call('getAgent', { agentId: guest });
  const session = await chooseWorkspace(client, await openSession(client, name, agent), question);
  const keepsAgent = agent === undefined || session.agentId === agent;
  if ((!guest && !beginsWithMention(content)) || keepsAgent) return session;
  return client.call('patchSession', { sessionId: session.id, body: { agentId: agent } });
}

async function ask(connection: Connection, session: Session, question: Question, content: string): Promise<Followed> {
  const { agent, guest, busy } = question;
  await settleWaiting(connection, session, question);
  if (!guest) await noteUnknownMention(connection.client, session, content);
  const message: SendMessageInput = { content, busy, ...(guest ? { guest } : speaker(agent, content)) };
  return sendAndFollow(connection, session, message, question);
}

/** Without a server, only this command can answer what the session has waited for, and nothing is answered before that. */
async function settleWaiting(connection: Connection, session: Session, question: Question): Promise<void> {
  if (!connection.resume || session.status !== 'waiting') return;
  await connection.resume(session.id);
  const { actions } = await connection.client.call('listActions', { query: { session: session.id } });
  const waiting = actions.filter(({ kind, state }) => kind !== 'failure' && state === 'open');
  if (waiting.length === 0) return;
  note('The session is waiting for you. Your message has not been sent yet.');
  const { attend } = await import('../follow/attention.ts');
  const attention = attend(connection, question, () => {});
  for (const action of waiting) attention.opened(action);
  await attention.idle;
}

/** A name that no agent has stays text, and the session's own agent answers. */
async function noteUnknownMention(client: ParleyClient, session: Session, content: string): Promise<void> {
  if (!beginsWithMention(content)) return;
  const { answering, unknown } = await client.call('previewMentions', { sessionId: session.id, body: { content } });
  const [name] = unknown;
  if (name === undefined) return;
  const instead = answering.map(({ agentId }) => agentId).join(', ');
  note(safeLine(`No agent is called ${name}. The message goes to ${instead}.`));
}

/** Only the mentioned agents answer where there are any; `agent` is then already the session's primary. */
function speaker(agent: string | undefined, content: string): { agent?: string } {
  return agent === undefined || beginsWithMention(content) ? {} : { agent };
}

/** Only the server knows whether an agent has that name. */
function beginsWithMention(content: string): boolean {
  return /^\s*@[\p{L}\p{N}]/u.test(content);
}
