import { AppError } from '../../contract/errors.ts';
import { say } from '../../contract/texts.ts';
import type { Receipt, Revision } from '../../contract/turns.ts';
import type { Tx } from '../events/log.ts';
import { loadMessage, type StoredMessage } from '../sessions/message-store.ts';
import { loadSession, saveSession } from '../sessions/store.ts';
import { toMessage } from '../sessions/views.ts';
import type { TurnRow } from '../storage/tables.ts';
import { acceptMessage } from './accept.ts';
import { selectAnswersShown } from './answers-store.ts';
import { filesIn } from './attach.ts';
import { emptyTurn, touch } from './start.ts';
import { findMessage, findTurn, insertTurn, loadTurn, selectOpenTurns, toTurn } from './store.ts';
import type { TurnDeps } from './turn-deps.ts';

/** Answers the same message again: a new turn, after which the old answer is a sibling of the new one. */
export function retryTurn(deps: TurnDeps, owner: string, turnId: string, agent?: string): Promise<Receipt> {
  return deps.log.write((tx) => retryIn(tx, deps, owner, turnId, agent));
}

/** The same inside a transaction. */
export async function retryIn(tx: Tx, deps: TurnDeps, owner: string, turnId: string, agent?: string) {
  if (agent) deps.agents.require(agent);
  const original = await loadTurn(tx.db, owner, turnId);
  if (original.ended_at === null) throw new AppError('turn_not_settled', say('turn_not_settled'));
  deps.agents.require(agent ?? original.agent_id);
  tx.afterwards.push(() => deps.coordinator.queueGrew(original.session_id));
  return queueRetry(tx, owner, original, agent);
}

async function queueRetry(tx: Tx, owner: string, original: TurnRow, agent: string | undefined): Promise<Receipt> {
  const session = await loadSession(tx.db, owner, original.session_id);
  const open = await selectOpenTurns(tx.db, session.id);
  if (open.length > 0) throw new AppError('session_busy', say('session_busy.retry'));
  const message = (await findMessage(tx.db, original.message_id))!;
  const agentId = agent ?? original.agent_id;
  const speaker = { agentId, guest: original.guest === 1 && agentId !== session.agent_id };
  const turn: TurnRow = {
    ...emptyTurn(tx, session.id, speaker),
    message_id: message.id,
    retry_of: original.id,
    branch_after: await placeToAnswerAgain(tx, original, message),
  };
  await insertTurn(tx.db, turn);
  session.queued_count += 1;
  session.status = 'working';
  touch(tx, session);
  tx.append(session, { type: 'turn.queued', turn: toTurn(turn), status: 'working', message: toMessage(message) });
  await saveSession(tx.db, session);
  return { turn: toTurn(turn), turns: [toTurn(turn)], message: toMessage(message), answer: null, duplicate: false };
}

/**
 * Where the new answer belongs: in the place of the old one if that is shown, else after all answers. The answers that
 * other agents gave to the same message before it stay, and are read again.
 */
async function placeToAnswerAgain(tx: Tx, original: TurnRow, message: StoredMessage): Promise<number | null> {
  const retried = await firstTry(tx, original);
  let place = message.seq;
  for (const { turn_id, seq } of await selectAnswersShown(tx.db, message)) {
    if ((await firstTry(tx, (await findTurn(tx.db, turn_id))!)) === retried) break;
    place = seq;
  }
  return place;
}

async function firstTry(tx: Tx, turn: TurnRow): Promise<string> {
  const before = turn.retry_of === null ? undefined : await findTurn(tx.db, turn.retry_of);
  return before ? firstTry(tx, before) : (turn.retry_of ?? turn.id);
}

/** Says something else instead of a message: a new branch beside it. */
export async function reviseMessage(
  deps: TurnDeps,
  owner: string,
  messageId: string,
  wanted: Revision,
): Promise<Receipt> {
  const message = await loadMessage(deps.log.db, owner, messageId);
  if (message.role !== 'user' || message.agent_id !== null)
    throw new AppError('invalid_request', say('invalid_request.editOwn'));
  if (message.seq === null) throw new AppError('invalid_request', say('invalid_request.queuedEdit'));
  const files = wanted.files ?? filesIn(message.parts);
  if (wanted.content.trim() === '' && files.length === 0)
    throw new AppError('invalid_request', say('invalid_request.empty'));
  const parent = message.parent_id ? await findMessage(deps.log.db, message.parent_id) : undefined;
  return acceptMessage(deps, {
    owner,
    sessionId: message.session_id,
    messageId: wanted.id,
    content: wanted.content,
    files,
    agent: wanted.agent,
    busy: 'reject',
    branch: { parentId: message.parent_id, afterSeq: parent?.seq ?? 0 },
  });
}
