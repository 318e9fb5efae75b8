import { hash } from 'node:crypto';
import { AppError } from '../../contract/errors.ts';
import { newId } from '../../contract/ids.ts';
import type { Message } from '../../contract/messages.ts';
import { say } from '../../contract/texts.ts';
import type { WhenBusy } from '../../contract/turns.ts';
import type { Tx } from '../events/log.ts';
import { isBusy } from '../sessions/branches.ts';
import { insertMessage } from '../sessions/message-store.ts';
import { createSession, type NewSession } from '../sessions/sessions.ts';
import { loadSession, saveSession } from '../sessions/store.ts';
import { fileNames, toMessage, toSession, toTitle } from '../sessions/views.ts';
import type { FileRow, MessageRow, SessionRow, TurnRow } from '../storage/tables.ts';
import { withdrawFailures } from './actions.ts';
import { attach, loadAttached, partsWith } from './attach.ts';
import { noteNewest } from './place.ts';
import { placeInQueue, type QueuePosition } from './queue-position.ts';
import { type StartedTurn, settlePrimary, startTurn, toStarted, touch } from './start.ts';
import { findMessage, findTurn, insertTurn, selectAddressed, selectOpenTurns, toTurn } from './store.ts';
import { chooseSpeakers, nameAgents, primaryAfter, ruleFor, type Speaker } from './who-answers.ts';

export interface Acceptance {
  owner: string;
  sessionId: string;
  /** The session is made in the same transaction, under that id. */
  create?: NewSession | undefined;
  /** Made by the sender; the same id and content give the same receipt. */
  messageId?: string | undefined;
  content: string;
  /** Sent up before. */
  files?: readonly string[] | undefined;
  agent?: string | undefined;
  guest?: string | undefined;
  /** Becomes the primary unless the message begins with the names of agents. */
  otherwise?: string | undefined;
  /** Sent by an agent on behalf of its turn, and answered by the one it names. */
  work?: DelegatedWork | undefined;
  busy: WhenBusy;
  /** How many servers the message has passed through before this one. */
  hops?: number | undefined;
  /** An edited message begins a branch: after this message, or at the very beginning. */
  branch?: { parentId: string | null; afterSeq: number };
}

/** With its files, which are known and the owner's, and with the agents that its words name. */
export interface Addressed extends Acceptance {
  attached: readonly FileRow[];
  /** All agents that answer, in this order, as guests unless they are the primary; empty when no name decides. */
  guests: readonly string[];
}

export interface DelegatedWork {
  from: string;
  to: string;
  parentTurnId: string;
  rootTurnId: string;
  /** Written in the transaction that accepts the message. The caller saves the session. */
  alsoWrite(tx: Tx, session: SessionRow, turn: TurnRow): Promise<void>;
}

/** What accepting a message depends on, so that it can decide inside one transaction. */
export interface AcceptContext {
  readonly queueLimit: number;
  readonly filesLimit: number;
  /** Throws when no agent of that name can answer. */
  assertAgent(agentId: string): void;
  /** The agents that a message begins with, as `@names`; empty when it is for the primary alone. */
  addressed(session: SessionRow, content: string): readonly string[];
  canSteer(turnId: string): boolean;
  /** Whether a turn may start right away. */
  readonly mayStart: boolean;
}

export interface Accepted {
  turn: TurnRow;
  /** The turns of the agents that answer after the first. */
  others: TurnRow[];
  message: Message;
  duplicate: boolean;
  started: StartedTurn | null;
  /** The turn that is interrupted for this one. */
  interrupts: string | null;
}

export function assertSize(content: string, limit: number): void {
  if (content.length <= limit && Buffer.byteLength(content) <= limit) return;
  throw new AppError('message_too_large', say('message_too_large', { limit }));
}

/** Message, turn and events in one transaction; nothing is written unless everything about the message is in order. */
export async function acceptMessage(tx: Tx, context: AcceptContext, given: Acceptance): Promise<Accepted> {
  const session = given.create
    ? await createSession(tx, given.owner, { ...given.create, id: given.sessionId })
    : await loadSession(tx.db, given.owner, given.sessionId);
  const repeated = await findRepeated(tx, given);
  if (repeated) return repeated;
  const attached = await loadAttached(tx, given.owner, given.files ?? [], context.filesLimit);
  const wanted = { ...nameAgents(context, session, given), attached };
  // The status is computed from the turns, so a session that is not busy has none that are open.
  const open = isBusy(session) ? await selectOpenTurns(tx.db, session.id) : [];
  const primary = primaryAfter(session, open, wanted);
  const [speaker, ...others] = chooseSpeakers(primary, wanted);
  for (const { agentId } of [speaker, ...others]) context.assertAgent(agentId);
  const place = placeInQueue(open, wanted, context);
  const turn = newTurn(tx, session, wanted, speaker, place);
  if (wanted.work) await wanted.work.alsoWrite(tx, session, turn);
  const started = open.length === 0 && context.mayStart ? await begin(tx, session, wanted, turn) : null;
  const message = started?.message ?? (await insertWaiting(tx, session, wanted, turn));
  await attach(tx, { id: message.id, session_id: session.id }, attached);
  const after = { ...place, order: place.order + (others.length > 0 ? 1 : 0), hops: turn.hops };
  const queued = await queueOthers(tx, session, message, others, after);
  const accepted = { turn: started?.turn ?? turn, others: queued, message, started, interrupts: place.interrupts };
  return { ...accepted, duplicate: false };
}

/** The other addressed agents answer the same message, one after the other. */
async function queueOthers(
  tx: Tx,
  session: SessionRow,
  message: Message,
  speakers: readonly Speaker[],
  { order, hops }: QueuePosition & { hops: number },
): Promise<TurnRow[]> {
  const turns = speakers.map((speaker, index) => ({
    ...emptyTurn(tx, session.id, speaker),
    hops,
    message_id: message.id,
    queue_order: order + index,
  }));
  for (const turn of turns) {
    await insertTurn(tx.db, turn);
    session.queued_count += 1;
    tx.append(session, { type: 'turn.queued', turn: toTurn(turn), status: session.status as 'working', message });
  }
  if (turns.length > 0) await saveSession(tx.db, session);
  return turns;
}

/** The way of most messages: nothing is in the way, so message and turn are written once, as they are after the start. */
async function begin(tx: Tx, session: SessionRow, wanted: Addressed, waiting: TurnRow): Promise<StartedTurn> {
  if (wanted.branch) {
    await insertWaiting(tx, session, wanted, waiting);
    return startTurn(tx, session, waiting);
  }
  const row = newMessage(tx, session, wanted, waiting);
  const wasFailed = session.status === 'error';
  await settlePrimary(tx, session, waiting);
  announceWaiting(tx, session, waiting, row);
  const placed = { ...row, seq: ++session.message_seq, parent_id: session.head_id, status: 'complete' };
  const turn = { ...waiting, state: 'running', started_at: tx.now };
  if (wasFailed) await withdrawFailures(tx, session);
  await insertMessage(tx.db, placed);
  await insertTurn(tx.db, turn);
  noteNewest(session, placed);
  const message = toMessage(placed);
  tx.append(session, { type: 'turn.started', turn: toTurn(turn), status: 'working', message });
  await saveSession(tx.db, session);
  return toStarted(session, turn, message);
}

async function findRepeated(tx: Tx, wanted: Acceptance): Promise<Accepted | null> {
  if (!wanted.messageId) return null;
  const message = await findMessage(tx.db, wanted.messageId);
  if (!message) return null;
  const turn = message.turn_id ? await findTurn(tx.db, message.turn_id) : undefined;
  if (message.request_hash !== hashRequest(wanted) || !turn) {
    throw new AppError('message_id_conflict', say('message_id_conflict', { id: wanted.messageId }));
  }
  const addressed = await selectAddressed(tx.db, turn.session_id, turn.created_at, message.id);
  const others = addressed.filter((other) => other.id !== turn.id);
  return { turn, others, message: toMessage(message), duplicate: true, started: null, interrupts: null };
}

/** The busy mode is how, not what: it does not make another message of it. */
function hashRequest(wanted: Acceptance): string {
  const agent = wanted.otherwise ?? wanted.agent ?? null;
  const what = [wanted.owner, wanted.sessionId, wanted.content, agent, wanted.guest ?? null];
  return hash('sha256', JSON.stringify([...what, wanted.branch?.parentId ?? null, ...(wanted.files ?? [])]), 'base64');
}

async function insertWaiting(tx: Tx, session: SessionRow, wanted: Addressed, turn: TurnRow): Promise<Message> {
  const row = newMessage(tx, session, wanted, turn);
  await insertMessage(tx.db, row);
  await insertTurn(tx.db, turn);
  session.queued_count += 1;
  announceWaiting(tx, session, turn, row);
  await saveSession(tx.db, session);
  return toMessage(row);
}

function announceWaiting(tx: Tx, session: SessionRow, turn: TurnRow, row: Omit<MessageRow, 'rid'>): void {
  session.status = session.status === 'waiting' ? 'waiting' : 'working';
  touch(tx, session);
  const message = toMessage(row);
  tx.append(session, { type: 'turn.queued', turn: toTurn(turn), status: session.status as 'working', message });
  if (session.title === null) setTitle(tx, session, row.text || fileNames(row.parts));
}

/** Once, from the first message; whatever is said later, the title stays. */
function setTitle(tx: Tx, session: SessionRow, content: string): void {
  session.title = toTitle(content) || null;
  tx.append(session, { type: 'session.updated', session: { ...toSession(session), lastSeq: session.event_seq + 1 } });
}

function newMessage(tx: Tx, session: SessionRow, wanted: Addressed, turn: TurnRow): Omit<MessageRow, 'rid'> {
  return {
    id: turn.message_id,
    session_id: session.id,
    seq: null,
    parent_id: wanted.branch?.parentId ?? null,
    turn_id: turn.id,
    role: 'user',
    agent_id: wanted.work?.from ?? null,
    guest: 0,
    status: 'queued',
    text: wanted.content,
    parts: partsWith(wanted.content, wanted.attached),
    on_path: 1,
    compaction_id: null,
    // Only an id of the sender's own can come a second time.
    request_hash: wanted.messageId ? hashRequest(wanted) : null,
    created_at: tx.now,
  };
}

function newTurn(tx: Tx, session: SessionRow, wanted: Addressed, speaker: Speaker, place: QueuePosition): TurnRow {
  return {
    ...emptyTurn(tx, session.id, speaker),
    message_id: wanted.messageId ?? newId(tx.now),
    parent_turn_id: wanted.work?.parentTurnId ?? null,
    root_turn_id: wanted.work?.rootTurnId ?? null,
    steer_into: place.steerInto,
    branch_after: wanted.branch?.afterSeq ?? null,
    queue_order: place.order,
    primary_rule: ruleFor(wanted),
    hops: wanted.hops ?? 0,
  };
}

export function emptyTurn(tx: Tx, sessionId: string, speaker: Speaker): TurnRow {
  return {
    id: newId(tx.now),
    seq: 0,
    session_id: sessionId,
    agent_id: speaker.agentId,
    guest: speaker.guest ? 1 : 0,
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
