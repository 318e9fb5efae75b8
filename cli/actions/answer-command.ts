import { setTimeout as sleep } from 'node:timers/promises';
import type { ParleyClient } from '../../client/parley-client.ts';
import type { Action, AnswerAction } from '../../contract/actions.ts';
import type { Session } from '../../contract/sessions.ts';
import type { Turn } from '../../contract/turns.ts';
import type { Connection, HomeOption } from '../connect.ts';
import { CommandFailure, EXIT_WAITING } from '../failure.ts';
import { followTurns } from '../follow/follow.ts';
import { assertComplete } from '../follow/turn-outcome.ts';
import { note, print, printJson } from '../output.ts';
import { safeLine } from '../terminal-text.ts';
import { sayAnswer } from './said.ts';

const PATIENCE_MS = 2000;
const LOOK_AGAIN_MS = 100;

export interface AnswerOptions extends HomeOption {
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
  const session = inProcess ? await client.call('getSession', { sessionId }) : undefined;
  if (answer.decision !== 'dismiss') await connection.resume?.(action.sessionId);
  const answered = await client.call('answerAction', { actionId: action.id, body: answer });
  if (options.json) printJson(answered);
  else print((!inProcess && (await whyNotCarriedOut(client, action, answer))) || sayAnswer(action, answer));
  if (session && answer.decision !== 'dismiss') await goOn(connection, session, turnId, options);
}

/** An allowed call may have been forbidden since it was asked about: then it is not carried out. */
async function whyNotCarriedOut(client: ParleyClient, action: Action, answer: AnswerAction): Promise<string | null> {
  const callId = action.approval?.callId ?? null;
  if (callId === null || answer.decision === 'deny') return null;
  for (const deadline = Date.now() + PATIENCE_MS; Date.now() < deadline; await sleep(LOOK_AGAIN_MS)) {
    const call = await client.call('getToolCall', { callId });
    if (call.state === 'rejected' || call.state === 'denied') return `Not run: ${safeLine(call.output ?? call.state)}`;
    if (call.state !== 'waiting') return null;
  }
  return null;
}

/** Without a server, only this command can continue the turn. What failed is tried again in a turn of its own. */
async function goOn(connection: Connection, session: Session, turnId: string, options: AnswerOptions): Promise<void> {
  const turn = await whoGoesOn(connection.client, session.id, turnId);
  if (!turn) return note('No server is running. The turn continues when you start one with: parley serve');
  if (turn.state === 'waiting') throw new CommandFailure('More is waiting for you. See: parley actions', EXIT_WAITING);
  assertComplete(await followTurns(connection, session, [turn.id], options), session.name ?? session.id);
}

/** The turn, as soon as it has been taken up, or when it waits for something else, too. */
async function whoGoesOn(client: ParleyClient, sessionId: string, turnId: string): Promise<Turn | undefined> {
  for (const deadline = Date.now() + PATIENCE_MS; Date.now() < deadline; await sleep(LOOK_AGAIN_MS)) {
    const { turns } = await client.call('listTurns', { sessionId, query: { limit: 50 } });
    const turn = turns.find(({ id, retryOf }) => id === turnId || retryOf === turnId);
    const isAsking = async () =>
      (await client.call('listActions', { query: { session: sessionId } })).actions.length > 0;
    if (turn && (turn.state !== 'waiting' || (await isAsking()))) return turn;
  }
  return undefined;
}
