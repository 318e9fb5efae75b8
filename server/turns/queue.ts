import { AppError } from '../../contract/errors.ts';
import type { Message } from '../../contract/messages.ts';
import { say } from '../../contract/texts.ts';
import type { QueueEdit, Turn } from '../../contract/turns.ts';
import type { EventLog, Tx } from '../events/log.ts';
import { deleteMessage, selectQueuedMessages } from '../sessions/message-store.ts';
import { reindexMessage } from '../sessions/search-index-store.ts';
import { loadSession, saveSession } from '../sessions/store.ts';
import { toMessage } from '../sessions/views.ts';
import type { SessionRow, TurnRow } from '../storage/tables.ts';
import { assertSize } from './accept.ts';
import { isOfWebhook, withWords } from './attach.ts';
import { touch } from './start.ts';
import {
  computeStatus,
  deleteTurn,
  findMessage,
  loadTurn,
  saveTurn,
  selectAddressed,
  selectOpenTurns,
  toTurn,
  updateMessage,
} from './store.ts';
import type { TurnDeps } from './turn-deps.ts';

export interface QueueEntry {
  turn: Turn;
  message: Message;
}

/** What waits in a session, next first. */
export async function readQueue(log: EventLog, owner: string, sessionId: string): Promise<QueueEntry[]> {
  await loadSession(log.db, owner, sessionId);
  const turns = (await selectOpenTurns(log.db, sessionId)).filter((turn) => turn.state === 'queued');
  const messages = new Map((await selectQueuedMessages(log.db, sessionId)).map((row) => [row.id, row]));
  const entries: QueueEntry[] = [];
  for (const turn of turns) {
    const message = messages.get(turn.message_id) ?? (await findMessage(log.db, turn.message_id));
    if (message) entries.push({ turn: toTurn(turn), message: toMessage(message) });
  }
  return entries;
}

export async function editQueued(deps: TurnDeps, owner: string, turnId: string, edit: QueueEdit): Promise<QueueEntry> {
  assertSize(edit.content ?? '', deps.limits().messageBytes);
  return deps.log.write(async (tx) => {
    const { session, turn } = await loadQueued(tx, owner, turnId);
    if (edit.content !== undefined) await changeWords(tx, turn, edit.content);
    if (edit.position !== undefined) await moveTo(tx, session, turn, edit.position);
    const message = toMessage((await findMessage(tx.db, turn.message_id))!);
    const queue = (await selectOpenTurns(tx.db, session.id))
      .filter((open) => open.state === 'queued')
      .map((open) => open.id);
    tx.append(session, {
      type: 'turn.updated',
      turn: toTurn(turn),
      status: session.status as 'working',
      message,
      queue,
    });
    touch(tx, session);
    await saveSession(tx.db, session);
    return { turn: toTurn(turn), message };
  });
}

/** The person takes a message back before an agent has read it. */
export async function removeQueued({ log, coordinator }: TurnDeps, owner: string, turnId: string): Promise<void> {
  await log.write(async (tx) => {
    const { session, turn } = await loadQueued(tx, owner, turnId);
    if (turn.parent_turn_id !== null) throw new AppError('turn_not_queued', say('turn_not_queued.agent'));
    await deleteTurn(tx.db, turn.id);
    await releaseMessage(tx, turn);
    session.queued_count -= 1;
    session.status = await computeStatus(tx.db, session);
    touch(tx, session);
    const removed = { turnId: turn.id, messageId: turn.message_id };
    tx.append(session, { type: 'turn.removed', ...removed, status: session.status as 'working' });
    await saveSession(tx.db, session);
  });
  coordinator.noteQueued(-1);
}

/** A message that was answered before stays, and so does one that others were asked: it is theirs then. */
async function releaseMessage(tx: Tx, turn: TurnRow): Promise<void> {
  const message = await findMessage(tx.db, turn.message_id);
  if (turn.retry_of !== null || message?.turn_id !== turn.id) return;
  const [other] = await selectAddressed(tx.db, turn.session_id, turn.created_at, message.id);
  if (other) await updateMessage(tx.db, message.id, { turn_id: other.id });
  else if (message.seq === null) await deleteMessage(tx.db, message.id);
}

async function loadQueued(tx: Tx, owner: string, turnId: string): Promise<{ session: SessionRow; turn: TurnRow }> {
  const turn = await loadTurn(tx.db, owner, turnId);
  if (turn.state !== 'queued') throw new AppError('turn_not_queued', say('turn_not_queued'));
  return { session: await loadSession(tx.db, owner, turn.session_id), turn };
}

async function changeWords(tx: Tx, turn: TurnRow, content: string): Promise<void> {
  if (turn.retry_of !== null) throw new AppError('turn_not_queued', say('turn_not_queued.sent'));
  const { parts } = (await findMessage(tx.db, turn.message_id))!;
  if (isOfWebhook(parts)) throw new AppError('turn_not_queued', say('turn_not_queued.webhook'));
  await updateMessage(tx.db, turn.message_id, { text: content, parts: withWords(parts, content) });
  await reindexMessage(tx.db, turn.message_id);
}

/** Every queued turn of the session is numbered anew: there are at most a few. */
async function moveTo(tx: Tx, session: SessionRow, turn: TurnRow, position: number): Promise<void> {
  const open = await selectOpenTurns(tx.db, session.id);
  const line = open.filter((other) => other.state === 'queued' && other.id !== turn.id);
  line.splice(position, 0, turn);
  const first = Math.max(...open.map((other) => other.queue_order)) + 1;
  for (const [index, waiting] of line.entries()) {
    waiting.queue_order = first + index;
    await saveTurn(tx.db, waiting.id, { queue_order: waiting.queue_order });
  }
}
