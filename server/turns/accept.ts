import { hash } from 'node:crypto';
import { AppError } from '../../contract/errors.ts';
import { newId } from '../../contract/ids.ts';
import type { Message } from '../../contract/messages.ts';
import { say } from '../../contract/texts.ts';
import type { Receipt } from '../../contract/turns.ts';
import type { Tx } from '../events/log.ts';
import { reach } from '../fault-points.ts';
import { isBusy } from '../sessions/branches.ts';
import { insertMessage } from '../sessions/message-store.ts';
import { createSession } from '../sessions/sessions.ts';
import { loadSession, saveSession } from '../sessions/store.ts';
import { fileNames, toMessage, toSession, toTitle } from '../sessions/views.ts';
import type { NewMessage, SessionRow, TurnRow } from '../storage/tables.ts';
import {
  type Acceptance,
  type Addressed,
  chooseSpeakers,
  nameAgents,
  placeInQueue,
  primaryAfter,
  type QueuePosition,
  ruleFor,
  type Speaker,
} from './acceptance.ts';
import { withdrawFailures } from './actions.ts';
import { attach, loadAttached, partsWith } from './attach.ts';
import { haltSoon } from './cancel.ts';
import type { Admitted } from './coordinator.ts';
import { INTERRUPTED } from './outcome.ts';
import { emptyTurn, noteNewest, type StartedTurn, settlePrimary, startTurn, toStarted, touch } from './start.ts';
import { findMessage, findTurn, insertTurn, selectAddressed, selectOpenTurns, toTurn } from './store.ts';
import type { TurnDeps } from './turn-deps.ts';

interface Accepted extends Admitted {
  turn: TurnRow;
  /** The turns of the agents that answer after the first. */
  others: TurnRow[];
  message: Message;
  duplicate: boolean;
  /** The turn that is interrupted for this one. */
  interrupts: string | null;
}

export function assertSize(content: string, limit: number): void {
  if (content.length <= limit && Buffer.byteLength(content) <= limit) return;
  throw new AppError('message_too_large', say('message_too_large', { limit }));
}

/** Everything that starts a turn comes through here. The message is on disk when this resolves. */
export async function acceptMessage(deps: TurnDeps, wanted: Acceptance): Promise<Receipt> {
  assertOpen(deps, wanted);
  const accepted = await deps.coordinator.admit(wanted.sessionId, async (mayStart) => {
    const written = await deps.log.write((tx) => acceptIn(tx, deps, wanted, mayStart));
    reach('accept.committed');
    return written;
  });
  const steered = accepted.turn.steer_into && deps.coordinator.running(accepted.turn.steer_into);
  if (steered) steered.hasSteering = true;
  const interrupted = accepted.interrupts && deps.coordinator.running(accepted.interrupts);
  if (interrupted) haltSoon(deps, interrupted, INTERRUPTED, 'waited-for');
  return toReceipt(accepted);
}

function assertOpen({ coordinator, limits }: TurnDeps, { content }: Acceptance): void {
  if (coordinator.isStopping) throw new AppError('shutting_down', say('shutting_down'), { retryAfterSeconds: 5 });
  assertSize(content, limits().messageBytes);
  if (coordinator.queuedCount < limits().waitingTurns) return;
  throw new AppError('overloaded', say('overloaded'), { retryAfterSeconds: 5 });
}

/** Message, turn and events in one transaction; nothing is written unless everything about the message is in order. */
async function acceptIn(tx: Tx, deps: TurnDeps, given: Acceptance, mayStart: () => boolean): Promise<Accepted> {
  // What begins a session is known before that session is: it would be made a second time.
  const begun = given.create && (await findRepeated(tx, given));
  if (begun) return begun;
  const session = given.create
    ? await createSession(tx, given.owner, { ...given.create, id: given.sessionId })
    : await loadSession(tx.db, given.owner, given.sessionId);
  const repeated = given.create ? null : await findRepeated(tx, given);
  if (repeated) return repeated;
  const attached = await loadAttached(tx, given.owner, given.files ?? [], deps.limits().filesPerMessage);
  const wanted = { ...nameAgents(deps, session, given), attached };
  // The status is computed from the turns, so a session that is not busy has none that are open.
  const open = isBusy(session) ? await selectOpenTurns(tx.db, session.id) : [];
  const [speaker, ...others] = chooseSpeakers(primaryAfter(session, open, wanted), wanted);
  for (const { agentId } of [speaker, ...others]) deps.agents.require(agentId);
  const place = placeInQueue(open, wanted, deps);
  const turn = newTurn(tx, session, wanted, speaker, place);
  if (wanted.work) await wanted.work.alsoWrite(tx, session, turn);
  if (wanted.webhook) await wanted.webhook.alsoWrite(tx, turn);
  const started = open.length === 0 && mayStart() ? await begin(tx, session, wanted, turn) : null;
  const message = started?.message ?? (await insertWaiting(tx, session, wanted, turn));
  await attach(tx, { id: message.id, session_id: session.id }, attached);
  const after = { ...place, order: place.order + (others.length > 0 ? 1 : 0), hops: turn.hops };
  const queued = await queueOthers(tx, session, message, others, after);
  return {
    turn: started?.turn ?? turn,
    others: queued,
    message,
    duplicate: false,
    started,
    queued: queued.length + (started ? 0 : 1),
    interrupts: place.interrupts,
  };
}

function toReceipt({ turn, others, message, duplicate }: Accepted): Receipt {
  const first = toTurn(turn);
  return { turn: first, turns: [first, ...others.map(toTurn)], message, answer: null, duplicate };
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
  const placed: NewMessage = { ...row, seq: ++session.message_seq, parent_id: session.head_id, status: 'complete' };
  const turn: TurnRow = { ...waiting, state: 'running', started_at: tx.now };
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
  return { turn, others, message: toMessage(message), duplicate: true, ...NOTHING_NEW };
}

const NOTHING_NEW = { started: null, queued: 0, interrupts: null };

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

function announceWaiting(tx: Tx, session: SessionRow, turn: TurnRow, row: NewMessage): void {
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

function newMessage(tx: Tx, session: SessionRow, wanted: Addressed, turn: TurnRow): NewMessage {
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
    parts: partsWith(wanted.content, wanted.attached, wanted.webhook),
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
