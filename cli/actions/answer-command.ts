import type { Action, AnswerAction } from '../../contract/actions.ts';
import type { Session } from '../../contract/sessions.ts';
import type { Connection, Place } from '../connect.ts';
import { followTurns } from '../follow/follow.ts';
import { print, printJson } from '../output.ts';
import { sayAnswer } from './said.ts';

export interface AnswerOptions extends Place {
  json?: boolean;
}

/** Sends an answer and says what it means. Without a server, what goes on because of it goes on here. */
export async function giveAnswer(
  connection: Connection,
  action: Action,
  answer: AnswerAction,
  options: AnswerOptions,
): Promise<void> {
  const { client, inProcess } = connection;
  const { turnId, sessionId } = action.chain[0] ?? action;
  const session = inProcess ? await client.getSession(sessionId) : undefined;
  const answered = await client.answerAction(action.id, answer);
  if (options.json) printJson(answered);
  else print(sayAnswer(action, answer));
  if (session && answer.decision !== 'dismiss') await goOn(connection, session, turnId, options);
}

/** Nobody else would. What failed is tried again in a turn of its own. */
async function goOn(connection: Connection, session: Session, turnId: string, options: AnswerOptions): Promise<void> {
  const { turns } = await connection.client.listTurns(session.id, { limit: 50 });
  const going = turns.find(({ id, retryOf, endedAt }) => (id === turnId || retryOf === turnId) && endedAt === null);
  if (going) await followTurns(connection, session, [going.id], options);
}
