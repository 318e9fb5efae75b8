import { newId } from '../../contract/ids.ts';
import type { Message, Part } from '../../contract/messages.ts';
import type { Tx } from '../events/log.ts';
import { insertMessage } from '../sessions/message-store.ts';
import { saveSession } from '../sessions/store.ts';
import { toMessage } from '../sessions/views.ts';
import type { NewMessage, SessionRow } from '../storage/tables.ts';
import { emptyTurn } from './accept.ts';
import { noteNewest } from './place.ts';
import { touch } from './start.ts';
import { insertTurn, selectOpenTurns, toTurn } from './store.ts';

/** A message from an agent to a session in which it takes no turn: a result that is expected there. */
export interface Notice {
  from: string;
  text: string;
  parts: Part[];
}

/** Puts it into the transcript without starting a turn. */
export async function placeNotice(tx: Tx, session: SessionRow, notice: Notice): Promise<Message> {
  const seq = ++session.message_seq;
  const row: NewMessage = { ...noticeRow(tx, session, notice), seq, parent_id: session.head_id, status: 'complete' };
  await insertMessage(tx.db, row);
  noteNewest(session, row);
  session.unread_count += 1;
  touch(tx, session);
  const message = toMessage(row);
  tx.append(session, { type: 'message.created', message });
  return message;
}

/** Queues a turn that answers it as soon as the session is free. */
export async function queueNotice(
  tx: Tx,
  session: SessionRow,
  notice: Notice,
  { agentId, rootTurnId }: { agentId: string; rootTurnId: string },
): Promise<void> {
  const row = noticeRow(tx, session, notice);
  const open = await selectOpenTurns(tx.db, session.id);
  const turn = {
    ...emptyTurn(tx, session.id, { agentId, guest: false }),
    message_id: row.id,
    root_turn_id: rootTurnId,
    queue_order: Math.max(0, ...open.map((other) => other.queue_order)) + 1,
  };
  await insertMessage(tx.db, { ...row, turn_id: turn.id });
  await insertTurn(tx.db, turn);
  session.queued_count += 1;
  session.status = session.status === 'waiting' ? 'waiting' : 'working';
  touch(tx, session);
  const message = toMessage({ ...row, turn_id: turn.id });
  tx.append(session, { type: 'turn.queued', turn: toTurn(turn), status: session.status as 'working', message });
  await saveSession(tx.db, session);
}

function noticeRow(tx: Tx, session: SessionRow, { from, text, parts }: Notice): NewMessage {
  return {
    id: newId(tx.now),
    session_id: session.id,
    seq: null,
    parent_id: null,
    turn_id: null,
    role: 'user',
    agent_id: from,
    guest: 0,
    status: 'queued',
    text,
    parts: JSON.stringify(parts),
    on_path: 1,
    compaction_id: null,
    request_hash: null,
    created_at: tx.now,
  };
}
