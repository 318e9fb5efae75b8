import { newId } from '../../contract/ids.ts';
import type { Message, Part } from '../../contract/messages.ts';
import type { SessionMode, SessionType } from '../../contract/sessions.ts';
import { textOf } from '../../contract/streamed-messages.ts';
import type { SessionTeam } from '../../contract/teams.ts';
import type { EventLog, Tx } from '../events/log.ts';
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
import { announce, setPrimary } from '../sessions/sessions.ts';
import { addSessionAgent, saveSession } from '../sessions/store.ts';
import { snippetOf, toMessage } from '../sessions/views.ts';
import type { NewMessage, SessionRow, TurnRow } from '../storage/tables.ts';
import { withdrawFailures } from './actions.ts';
import { fileIdsIn } from './attach.ts';
import {
  findMessage,
  findMessageAt,
  loadSessionRow,
  saveTurn,
  selectOpenTurns,
  toTurn,
  updateMessage,
} from './store.ts';

export interface StartedTurn {
  turn: TurnRow;
  message: Message;
  owner: string;
  mode: SessionMode;
  sessionType: SessionType;
  /** The agents of the team with which the session began; null: it began with none. */
  team: readonly string[] | null;
}

export function toStarted(session: SessionRow, turn: TurnRow, message: Message): StartedTurn {
  const { owner, mode, type } = session;
  const team = session.team === null ? null : (JSON.parse(session.team) as SessionTeam).agents;
  return { turn, message, owner, mode: mode as SessionMode, sessionType: type as SessionType, team };
}

/** Takes the next turn of a session that has none running. The caller has a slot for it and speaks it once committed. */
export async function startNext(tx: Tx, session: SessionRow): Promise<StartedTurn | null> {
  const open = await selectOpenTurns(tx.db, session.id);
  const next = open[0];
  if (next?.state !== 'queued') return null;
  return startTurn(tx, session, next);
}

/** The same in a transaction of its own. */
export function startNextOf(log: EventLog, sessionId: string): Promise<StartedTurn | null> {
  return log.write(async (tx) => {
    const session = await loadSessionRow(tx.db, sessionId);
    return session ? startNext(tx, session) : null;
  });
}

export async function startTurn(tx: Tx, session: SessionRow, turn: TurnRow): Promise<StartedTurn> {
  await withdrawFailures(tx, session);
  await settlePrimary(tx, session, turn);
  const message = await placeInput(tx, session, turn);
  Object.assign(turn, { state: 'running', started_at: tx.now, steer_into: null });
  await saveTurn(tx.db, turn.id, {
    state: turn.state,
    started_at: turn.started_at,
    steer_into: null,
    agent_id: turn.agent_id,
  });
  session.status = 'working';
  touch(tx, session);
  tx.append(session, { type: 'turn.started', turn: toTurn(turn), status: 'working', message });
  await saveSession(tx.db, session);
  return toStarted(session, turn, message);
}

/**
 * A message that names an agent makes it the primary only now: one that is taken back before its turn starts changes
 * nothing. A message that names no agent is answered by the primary as it is now.
 */
export async function settlePrimary(tx: Tx, session: SessionRow, turn: TurnRow): Promise<void> {
  if (turn.primary_rule === null || session.agent_id === turn.agent_id) return;
  if (turn.primary_rule === 'follows' && session.agent_id !== null) {
    turn.agent_id = session.agent_id;
    return;
  }
  await setPrimary(tx, session, turn.agent_id);
  await announce(tx, session);
}

/** Something happened here: the session moves to the top of the list. */
export function touch(tx: Tx, session: SessionRow): void {
  session.updated_at = tx.now;
  session.last_activity_at = tx.now;
}

export function emptyTurn(tx: Tx, sessionId: string, { agentId, guest }: { agentId: string; guest: boolean }): TurnRow {
  return {
    id: newId(tx.now),
    seq: 0,
    session_id: sessionId,
    agent_id: agentId,
    guest: guest ? 1 : 0,
    state: 'queued',
    message_id: '',
    answer_id: null,
    parent_turn_id: null,
    retry_of: null,
    steer_into: null,
    steered_at: null,
    branch_after: null,
    queue_order: 1,
    stop_reason: null,
    error: null,
    usage: null,
    created_at: tx.now,
    started_at: null,
    ended_at: null,
    root_turn_id: null,
    nested_in: '',
    pending: null,
    waited_ms: 0,
    waiting_since: null,
    primary_rule: null,
    hops: 0,
  };
}

/** Gives the message of a waiting turn its place in the transcript: at the end, or where its branch begins. */
export async function placeInput(tx: Tx, session: SessionRow, turn: TurnRow): Promise<Message> {
  const message = (await findMessage(tx.db, turn.message_id))!;
  session.queued_count -= 1;
  if (turn.branch_after !== null) await branchOff(tx, session, message, turn.branch_after);
  if (message.seq !== null) return toMessage(message);
  const parent_id = turn.branch_after === null ? session.head_id : message.parent_id;
  const placed = { seq: ++session.message_seq, parent_id, status: 'complete', on_path: 1 } as const;
  await updateMessage(tx.db, message.id, placed);
  noteNewest(session, message);
  return toMessage({ ...message, ...placed });
}

/** What a session says about its newest message. */
export function noteNewest(session: SessionRow, message: NewMessage): void {
  session.head_id = message.id;
  session.message_count += 1;
  Object.assign(session, snippetOf(message));
}

/** Everything after the place leaves the path and stays reachable as a sibling. */
async function branchOff(tx: Tx, session: SessionRow, message: StoredMessage, after: number): Promise<void> {
  const base =
    message.seq === null ? message.parent_id : ((await findMessageAt(tx.db, session.id, after)) ?? message.id);
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
  const row: NewMessage = {
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
