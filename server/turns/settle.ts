import { newId } from '../../contract/ids.ts';
import type { Message, Part } from '../../contract/messages.ts';
import type { SessionStatus } from '../../contract/sessions.ts';
import { say } from '../../contract/texts.ts';
import { toTurnError } from '../../contract/turns.ts';
import type { Tx } from '../events/log.ts';
import { loadSession, saveSession } from '../sessions/store.ts';
import type { SessionRow, TurnRow } from '../storage/tables.ts';
import { withdrawActions } from './actions.ts';
import { leaveOff, toToolCall } from './call-rows.ts';
import { attachCalls, saveCall, selectOpenCalls } from './call-store.ts';
import type { Outcome, Said } from './outcome.ts';
import { type Answer, placeAnswer, placeInput, touch } from './start.ts';
import {
  deletePartials,
  endTurn,
  loadSessionRow,
  selectOpenTurns,
  statusAfter,
  statusWithout,
  toTurn,
} from './store.ts';
import type { TurnDeps } from './turn-deps.ts';

/**
 * Ends a turn: its answer, its state and the events that say so are one transaction. Returns the session, or null when
 * the turn is already over or gone with its session.
 */
export async function settleTurn(
  tx: Tx,
  deps: TurnDeps,
  turn: TurnRow,
  said: Said,
  outcome: Outcome,
): Promise<SessionRow | null> {
  if (said.isFlushed) await deletePartials(tx.db, turn.id);
  const session = await loadSessionRow(tx.db, turn.session_id);
  const kept = turn.guest === 1 && outcome.state !== 'complete' ? [] : said.parts;
  const ending = {
    ...toColumns(tx, turn, outcome),
    answer_id: kept.length > 0 ? newId(tx.now) : turn.answer_id,
  };
  if (!session || !(await endTurn(tx.db, turn.id, ending))) return null;
  Object.assign(turn, ending);
  if (said.hasCalls) await endOpenCalls(tx, session, turn.id, outcome.state);
  if (kept.length > 0) await placeAnswer(tx, session, toAnswer(turn, kept, outcome));
  session.status = await statusOnceOver(tx, session, turn, outcome);
  if (outcome.state !== 'complete' || said.hasCalls) await closeWhatIsOpen(tx, deps, session, turn, outcome);
  if (said.hasCalls && turn.answer_id) await attachCalls(tx.db, turn.answer_id, turn.id);
  if (turn.parent_turn_id !== null) await deps.delegation.ended(deps, tx, session, turn);
  await announceEnd(tx, session, turn, null);
  return session;
}

/** Ends the calls that a turn left open, each with its event. The caller saves the session. */
async function endOpenCalls(tx: Tx, session: SessionRow, turnId: string, turnState: string): Promise<void> {
  for (const call of await selectOpenCalls(tx.db, turnId)) {
    leaveOff(call, turnState, tx.now);
    await saveCall(tx.db, call, call.output);
    tx.append(session, { type: 'tool.ended', call: toToolCall(call) });
  }
}

/** Only one turn of a session and its nested turn can run: what remains are queued turns, or the nested turn's caller. */
async function statusOnceOver(tx: Tx, session: SessionRow, turn: TurnRow, outcome: Outcome): Promise<SessionStatus> {
  if (session.queued_count > 0) return 'working';
  return turn.nested_in === '' ? statusAfter(outcome.state, session) : statusWithout(tx.db, session, turn);
}

async function closeWhatIsOpen(tx: Tx, deps: TurnDeps, session: SessionRow, turn: TurnRow, outcome: Outcome) {
  await withdrawActions(tx, session, turn.id);
  if (outcome.state === 'failed' && turn.parent_turn_id === null) await offerRetry(tx, deps, session, turn, outcome);
}

async function offerRetry(tx: Tx, { actions }: TurnDeps, session: SessionRow, turn: TurnRow, outcome: Outcome) {
  const { code, message, text } = outcome.error ?? toTurnError('failed', say('turn_failed'), true);
  const { agent_id: agentId, id: turnId } = turn;
  const chain = [{ agentId, turnId, sessionId: session.id }];
  const title = `${agentId} failed: ${message}`.slice(0, 200);
  await actions.open(tx, session, {
    kind: 'failure',
    title,
    turnId,
    agentId,
    chain,
    detail: { failure: { code, message, ...(text && { text }) } },
  });
}

function toAnswer(turn: TurnRow, parts: Part[], outcome: Outcome): Answer {
  const status = outcome.state === 'complete' ? 'complete' : 'interrupted';
  const delegated = turn.parent_turn_id !== null;
  const said = { agentId: turn.agent_id, turnId: turn.id, guest: turn.guest === 1, parts, status } as const;
  return { id: turn.answer_id!, ...said, delegated };
}

/** Ends a turn with nothing but its state: for one whose answer cannot be stored. */
export async function settleWithoutAnswer(tx: Tx, turn: TurnRow, outcome: Outcome): Promise<SessionRow | null> {
  const session = await loadSessionRow(tx.db, turn.session_id);
  const ending = { ...toColumns(tx, turn, outcome), answer_id: turn.answer_id };
  if (!session || !(await endTurn(tx.db, turn.id, ending))) return null;
  Object.assign(turn, ending);
  session.status = await statusWithout(tx.db, session, turn);
  await announceEnd(tx, session, turn, null);
  return session;
}

/** Ends a turn that never started; the person's words take their place in the transcript all the same. */
export async function settleQueued(
  tx: Tx,
  deps: TurnDeps,
  session: SessionRow,
  turn: TurnRow,
  outcome: Outcome,
): Promise<boolean> {
  if (!(await endTurn(tx.db, turn.id, { ...toColumns(tx, turn, outcome), answer_id: null }))) return false;
  // A retry's input has its place already, and the path it would have left stays as it is.
  const placed = turn.retry_of === null ? await placeInput(tx, session, turn) : null;
  if (turn.retry_of !== null) session.queued_count -= 1;
  Object.assign(turn, toColumns(tx, turn, outcome));
  session.status = await statusWithout(tx.db, session, turn);
  if (turn.parent_turn_id !== null) await deps.delegation.ended(deps, tx, session, turn);
  await announceEnd(tx, session, turn, placed);
  return true;
}

/** Ends everything that waits in a session, in the order in which it would have been taken. */
export async function settleQueue(
  tx: Tx,
  deps: TurnDeps,
  owner: string,
  sessionId: string,
  outcome: Outcome,
): Promise<string[]> {
  const session = await loadSession(tx.db, owner, sessionId);
  const queued = (await selectOpenTurns(tx.db, sessionId)).filter((turn) => turn.state === 'queued');
  for (const turn of queued) await settleQueued(tx, deps, session, turn, outcome);
  return queued.map((turn) => turn.id);
}

async function announceEnd(tx: Tx, session: SessionRow, turn: TurnRow, message: Message | null) {
  touch(tx, session);
  tx.append(session, { type: 'turn.settled', turn: toTurn(turn), status: session.status as SessionStatus, message });
  await saveSession(tx.db, session);
}

/** A turn that ends while it waits has waited until then. */
function waited({ waited_ms, waiting_since }: TurnRow, now: number) {
  return {
    waited_ms: waited_ms + (waiting_since === null ? 0 : Math.max(0, now - waiting_since)),
    waiting_since: null,
  };
}

export function toColumns(tx: Tx, turn: TurnRow, outcome: Outcome) {
  return {
    ...waited(turn, tx.now),
    state: outcome.state,
    stop_reason: outcome.stopReason,
    error: outcome.error ? JSON.stringify(outcome.error) : null,
    usage: outcome.usage ? JSON.stringify(outcome.usage) : null,
    ended_at: Math.max(tx.now, turn.started_at ?? 0),
  };
}
