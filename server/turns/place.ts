import type { Message, Part } from '../../contract/messages.ts';
import { textOf } from '../../contract/streamed-messages.ts';
import type { Tx } from '../events/log.ts';
import { linkFiles } from '../files/store.ts';
import { lineTo } from '../sessions/branches.ts';
import {
  countShown,
  insertMessage,
  joinPath,
  leavePath,
  type StoredMessage,
  selectPositions,
} from '../sessions/message-store.ts';
import { addSessionAgent } from '../sessions/store.ts';
import { snippetOf, toMessage } from '../sessions/views.ts';
import type { MessageRow, SessionRow, TurnRow } from '../storage/tables.ts';
import { fileIdsIn } from './attach.ts';
import { findMessage, updateMessage } from './store.ts';

/** Gives the message of a waiting turn its place in the transcript: at the end, or where its branch begins. */
export async function placeInput(tx: Tx, session: SessionRow, turn: TurnRow): Promise<Message> {
  const message = (await findMessage(tx.db, turn.message_id))!;
  session.queued_count -= 1;
  if (turn.branch_after !== null) await branchOff(tx, session, message, turn.branch_after);
  if (message.seq !== null) return toMessage(message);
  const parent_id = turn.branch_after === null ? session.head_id : message.parent_id;
  const placed = { seq: ++session.message_seq, parent_id, status: 'complete', on_path: 1 };
  await updateMessage(tx.db, message.id, placed);
  noteNewest(session, message);
  return toMessage({ ...message, ...placed });
}

/** What a session says about its newest message. */
export function noteNewest(session: SessionRow, message: Omit<MessageRow, 'rid'>): void {
  session.head_id = message.id;
  session.message_count += 1;
  Object.assign(session, snippetOf(message));
}

/** Everything after the place leaves the path and stays reachable as a sibling. */
async function branchOff(tx: Tx, session: SessionRow, message: StoredMessage, after: number): Promise<void> {
  const base = message.seq === null ? message.parent_id : message.id;
  const isShown = base === null || (await findMessage(tx.db, base))?.on_path === 1;
  await leavePath(tx.db, session.id, after);
  const afterSeq = isShown ? after : await showLineTo(tx, session.id, base);
  session.head_id = base;
  session.message_count = await countShown(tx.db, session.id);
  tx.append(session, { type: 'session.branched', afterSeq, headId: base });
}

/** The message is on another branch, which is shown up to there. Gives the place up to which both were the same. */
async function showLineTo(tx: Tx, sessionId: string, messageId: string): Promise<number> {
  const places = await selectPositions(tx.db, sessionId);
  const message = places.find(({ id }) => id === messageId);
  const line = message ? lineTo(places, message) : [];
  await leavePath(tx.db, sessionId, 0);
  await joinPath(
    tx.db,
    line.map(({ id }) => id),
  );
  return (line.find(({ on_path }) => on_path !== 1)?.seq ?? 1) - 1;
}

export interface Answer {
  id: string;
  agentId: string;
  turnId: string;
  guest: boolean;
  parts: Part[];
  status: 'complete' | 'interrupted';
  /** For an agent that asked, not for the person. */
  delegated: boolean;
}

/** Puts what an agent said at the end of the transcript, under its name. */
export async function placeAnswer(tx: Tx, session: SessionRow, answer: Answer): Promise<Message> {
  const text = textOf(answer.parts);
  const row = {
    id: answer.id,
    session_id: session.id,
    seq: ++session.message_seq,
    parent_id: session.head_id,
    turn_id: answer.turnId,
    role: 'assistant',
    agent_id: answer.agentId,
    guest: answer.guest ? 1 : 0,
    status: answer.status,
    text,
    parts: isPlain(answer.parts) ? null : JSON.stringify(answer.parts),
    on_path: 1,
    compaction_id: null,
    request_hash: null,
    created_at: tx.now,
  };
  await insertMessage(tx.db, row);
  const files = fileIdsIn(answer.parts);
  if (files.length > 0) await linkFiles(tx.db, row, files, tx.now);
  await noteSpeaker(tx, session, answer.agentId);
  noteNewest(session, row);
  // The person reads the answer where it was asked for, not in the session that was made for the work.
  if (!(answer.delegated && session.delegated_from_session_id !== null)) session.unread_count += 1;
  const message = toMessage(row);
  tx.append(session, { type: 'message.created', message });
  return message;
}

function isPlain(parts: Part[]): boolean {
  return parts.length === 1 && parts[0]!.type === 'text';
}

async function noteSpeaker(tx: Tx, session: SessionRow, agentId: string): Promise<void> {
  const speakers: string[] = JSON.parse(session.agents);
  if (speakers.includes(agentId)) return;
  session.agents = JSON.stringify([...speakers, agentId]);
  await addSessionAgent(tx.db, session.id, agentId, tx.now);
}
