import type { Delegation, DelegationState } from '../../contract/delegation.ts';
import { newId } from '../../contract/ids.ts';
import type { Message, Part } from '../../contract/messages.ts';
import { textOf } from '../../contract/streamed-messages.ts';
import type { TurnError } from '../../contract/turns.ts';
import type { Tx } from '../events/log.ts';
import { reach } from '../fault-points.ts';
import { insertMessage } from '../sessions/message-store.ts';
import { saveSession } from '../sessions/store.ts';
import { toMessage } from '../sessions/views.ts';
import type { DelegationRow, NewMessage, SessionRow, TurnRow } from '../storage/tables.ts';
import { cutBytes } from '../turns/call-rows.ts';
import { PARENT_STOPPED, SESSION_REMOVED } from '../turns/outcome.ts';
import { emptyTurn, noteNewest, touch } from '../turns/start.ts';
import { findMessage, findTurn, insertTurn, loadSessionRow, selectOpenTurns, toTurn } from '../turns/store.ts';
import type { TurnDeps } from '../turns/turn-deps.ts';
import { findDelegation, markDelivered, selectSaid, updateParts } from './store.ts';

/**
 * A delegate's turn is over: its caller is told in the transaction that ends it. A caller that waits reads the result
 * there; to any other caller it is brought as a message, exactly once.
 */
export async function delegateEnded(deps: TurnDeps, tx: Tx, session: SessionRow, turn: TurnRow): Promise<void> {
  const delegation = await findDelegation(tx.db, turn.id);
  if (!delegation) return;
  if (session.working_for_session_id === delegation.parent_session_id) session.working_for_session_id = null;
  const nested = delegation.parent_session_id === session.id;
  const parent = nested ? session : await loadSessionRow(tx.db, delegation.parent_session_id);
  if (!parent) return;
  tx.append(parent, { type: 'delegation.ended', delegation: toDelegation(delegation, turn) });
  if (nested) await noteInMessage(tx, turn);
  const notify = await howToTell(tx, delegation, turn, nested);
  if (notify !== 'none' && (await markDelivered(tx.db, turn.id, tx.now)))
    await bring(deps, tx, parent, { delegation, turn, notify });
  if (!nested) await saveSession(tx.db, parent);
}

/**
 * A sync caller that is over gets the result as a message, unless the person stopped it. A delegate that ended because
 * its caller was stopped is not reported: the report would start the caller again.
 */
async function howToTell(
  tx: Tx,
  { mode, notify, parent_turn_id }: DelegationRow,
  turn: TurnRow,
  nested: boolean,
): Promise<string> {
  if (turn.stop_reason === PARENT_STOPPED.stopReason) return 'none';
  if (mode === 'async') return notify;
  const caller = await findTurn(tx.db, parent_turn_id);
  if (!caller || caller.state === 'cancelled') return 'none';
  // What was said in the same session is read there; only that it was not all of it has to be told.
  if (nested) return caller.ended_at === null && turn.state !== 'complete' ? 'message' : 'none';
  return caller.ended_at === null ? 'none' : 'message';
}

interface Result {
  delegation: DelegationRow;
  turn: TurnRow;
  notify: string;
}

async function bring(deps: TurnDeps, tx: Tx, parent: SessionRow, result: Result): Promise<void> {
  const { delegation, turn, notify } = result;
  reach('delegation.before-delivery');
  const text = wordsOf(result, cutBytes(await allSaid(tx, turn), deps.delegationLimits().responseBytes));
  const notice = {
    from: delegation.to_agent,
    text,
    parts: [{ type: 'text' as const, text }, toPart(delegation, turn)],
  };
  if (notify === 'message') {
    await placeNotice(tx, parent, notice);
    return;
  }
  await queueNotice(tx, parent, notice, { agentId: delegation.from_agent, rootTurnId: turn.root_turn_id ?? turn.id });
  tx.afterwards.push(() => deps.coordinator.queueGrew(parent.id));
}

/** Also what was said before it gave work away or was steered: messages of their own by now. */
async function allSaid({ db }: Tx, turn: TurnRow): Promise<string> {
  const messages = (await selectSaid(db, turn.session_id, turn.id)).map(toMessage);
  return textOf(messages.flatMap(({ parts }) => parts));
}

function wordsOf({ turn, delegation }: Result, said: string): string {
  const who = delegation.via === 'background' ? 'The background command' : delegation.to_agent;
  if (turn.state === 'complete') return said || `${who} finished without output.`;
  const isRemoved = turn.stop_reason === SESSION_REMOVED.stopReason;
  const partly = said && delegation.via !== 'tag' && !isRemoved ? ` So far: ${said}` : '';
  return `[${who} did not finish: ${failureOf(turn)}]${partly}`;
}

type HowItWent = Pick<TurnRow, 'state' | 'error'>;

/** Why a turn did not complete, in words for the agent that waits for it. */
export function failureOf(turn: HowItWent): string {
  const error: TurnError | null = turn.error ? JSON.parse(turn.error) : null;
  if (!error) return `it was ${turn.state}`;
  return FOR_AGENTS[error.text?.key ?? ''] ?? error.message;
}

/** The message of these tells a person what to do next, which an agent cannot do. */
const FOR_AGENTS: Readonly<Record<string, string>> = {
  server_stopped: 'Parley restarted before it finished.',
  internal_error: 'it failed with an internal error.',
};

/** What a message of the role `delegation` says of how it went is kept true. */
async function noteInMessage(tx: Tx, turn: TurnRow): Promise<void> {
  const message = await findMessage(tx.db, turn.message_id);
  if (message?.role !== 'delegation' || !message.parts) return;
  const parts: Part[] = JSON.parse(message.parts);
  const how = { state: turn.state, ...(turn.error && { reason: failureOf(turn) }) };
  const noted = parts.map((part) => (part.type === 'delegation' ? { ...part, ...how } : part));
  await updateParts(tx.db, JSON.stringify(noted), message.id);
}

export function toDelegation(row: DelegationRow, turn: HowItWent): Delegation {
  return {
    turnId: row.turn_id,
    sessionId: row.session_id,
    parentTurnId: row.parent_turn_id,
    parentSessionId: row.parent_session_id,
    from: row.from_agent,
    to: row.to_agent,
    via: row.via as Delegation['via'],
    mode: row.mode as Delegation['mode'],
    ...(row.call_id !== null && { callId: row.call_id }),
    task: row.task,
    state: stateOf(turn),
    reason: turn.error ? failureOf(turn) : null,
  };
}

function stateOf({ state }: HowItWent): DelegationState {
  return state === 'queued' || state === 'running' || state === 'waiting' ? 'started' : (state as DelegationState);
}

export function toPart(row: DelegationRow, turn: TurnRow): Extract<Part, { type: 'delegation' }> {
  const { from_agent: from, to_agent: to, task, turn_id: turnId, session_id: sessionId } = row;
  const via = row.via === 'background' ? { via: 'background' as const } : {};
  return { type: 'delegation', from, to, task, turnId, sessionId, state: stateOf(turn), ...via };
}

/** A message from an agent to a session in which it takes no turn: a result that is expected there. */
interface Notice {
  from: string;
  text: string;
  parts: Part[];
}

/** Puts it into the transcript without starting a turn. */
async function placeNotice(tx: Tx, session: SessionRow, notice: Notice): Promise<Message> {
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
async function queueNotice(
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
