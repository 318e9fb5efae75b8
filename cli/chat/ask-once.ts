import type { ParleyClient } from '../../client/parley-client.ts';
import type { Session } from '../../contract/sessions.ts';
import type { SendMessageInput } from '../../contract/turns.ts';
import type { ChatOptions } from '../commands/chat.ts';
import { openSession } from '../find-session.ts';
import { type Followed, followTurn } from '../follow-turn.ts';
import { note } from '../output.ts';
import { safeLine } from '../terminal-text.ts';
import { assertComplete } from '../turn-outcome.ts';

export interface Question extends ChatOptions {
  agent: string;
}

/** One message, one answer. Throws unless the turn is complete. */
export async function askOnce(client: ParleyClient, question: Question, content: string): Promise<void> {
  if (question.new) return askAfresh(client, question, content);
  const session = await prepareSession(client, question);
  const { turn, interrupted } = await ask(client, session, question, content);
  assertComplete(turn, nameOf(session), interrupted);
  if (turn.steeredInto) note('Handed to the turn that is under way; it answers there.');
}

/** The old session keeps its name until the new one has an answer: a call that fails changes nothing. */
async function askAfresh(client: ParleyClient, question: Question, content: string): Promise<void> {
  if (question.guest) await client.getAgent(question.guest);
  const session = await client.createSession({ agentId: question.agent });
  const { turn, interrupted } = await ask(client, session, question, content);
  if (turn.state === 'complete') await client.renameSession(session.id, question.session, { replace: true });
  else note(`Session "${safeLine(question.session)}" is as it was; this attempt is in session ${session.id}.`);
  assertComplete(turn, session.id, interrupted);
}

/** With a guest, -a says whose session it is. An unknown guest is refused before anything is written. */
async function prepareSession(client: ParleyClient, { agent, guest, session: name }: Question): Promise<Session> {
  if (guest) await client.getAgent(guest);
  const session = await openSession(client, name, agent);
  if (!guest || session.agentId === agent) return session;
  return client.patchSession(session.id, { agentId: agent });
}

function ask(client: ParleyClient, session: Session, question: Question, content: string): Promise<Followed> {
  const { agent, guest, busy, json } = question;
  const message: SendMessageInput = { content, busy, ...(guest ? { guest } : { agent }) };
  return followTurn(client, client.streamMessage(session.id, message), { json });
}

function nameOf(session: Session): string {
  return session.name ?? session.id;
}
