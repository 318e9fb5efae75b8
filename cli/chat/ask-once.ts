import type { ParleyClient } from '../../client/parley-client.ts';
import type { Session } from '../../contract/sessions.ts';
import type { SendMessageInput } from '../../contract/turns.ts';
import type { ChatOptions } from '../commands/chat.ts';
import type { Connection } from '../connect.ts';
import { openSession } from '../find-session.ts';
import { type Followed, sendAndFollow } from '../follow/follow.ts';
import { assertComplete } from '../follow/turn-outcome.ts';
import { note } from '../output.ts';
import { safeLine } from '../terminal-text.ts';

export interface Question extends ChatOptions {
  agent: string;
}

/** One message, and the answer of everybody it is for. Throws unless all of them are complete. */
export async function askOnce(connection: Connection, question: Question, content: string): Promise<void> {
  if (question.new) return askAfresh(connection, question, content);
  const session = await prepareSession(connection.client, question, content);
  const followed = await askIn(connection, session, question, content);
  if (followed.turns[0]?.steeredInto) note('Handed to the turn that is under way; it answers there.');
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
  if (question.guest) await client.getAgent(question.guest);
  const session = await client.createSession({ agentId: question.agent });
  const followed = await ask(connection, session, question, content).catch((error) => {
    sayWhere(question, session);
    throw error;
  });
  if (followed.turns.every(({ state }) => state === 'complete'))
    await client.renameSession(session.id, question.session, { replace: true });
  else sayWhere(question, session);
  assertComplete(followed, session.id);
}

function sayWhere(question: Question, session: Session): void {
  note(`Session "${safeLine(question.session)}" is as it was; this attempt is in session ${session.id}.`);
}

/** With a guest, -a says whose session it is. An unknown guest is refused before anything is written. */
async function prepareSession(client: ParleyClient, question: Question, content: string): Promise<Session> {
  const { agent, guest, session: name } = question;
  if (guest) await client.getAgent(guest);
  const session = await openSession(client, name, agent);
  if ((!guest && !mentionsSomebody(content)) || session.agentId === agent) return session;
  return client.patchSession(session.id, { agentId: agent });
}

function ask(connection: Connection, session: Session, question: Question, content: string): Promise<Followed> {
  const { agent, guest, busy } = question;
  const message: SendMessageInput = { content, busy, ...(guest ? { guest } : speaker(agent, content)) };
  return sendAndFollow(connection, session, message, question);
}

/** Whoever is mentioned answers, unless somebody else is named: then the session itself says who its agent is. */
function speaker(agent: string, content: string): { agent?: string } {
  return mentionsSomebody(content) ? {} : { agent };
}

/** Whether anybody has that name, the server knows. */
function mentionsSomebody(content: string): boolean {
  return /^\s*@[\p{L}\p{N}]/u.test(content);
}
