import type { Message } from '../../contract/messages.ts';
import type { SessionMode, SessionType } from '../../contract/sessions.ts';
import type { Tx } from '../events/log.ts';
import { announce, setPrimary } from '../sessions/sessions.ts';
import { saveSession } from '../sessions/store.ts';
import type { SessionRow, TurnRow } from '../storage/tables.ts';
import { withdrawFailures } from './actions.ts';
import { placeInput } from './place.ts';
import { saveTurn, selectOpenTurns, toTurn } from './store.ts';

export interface StartedTurn {
  turn: TurnRow;
  message: Message;
  owner: string;
  mode: SessionMode;
  sessionType: SessionType;
}

export function toStarted(session: SessionRow, turn: TurnRow, message: Message): StartedTurn {
  const { owner, mode, type } = session;
  return { turn, message, owner, mode: mode as SessionMode, sessionType: type as SessionType };
}

/** Takes the next turn of a session that has none running. The caller has a slot for it and speaks it once committed. */
export async function startNext(tx: Tx, session: SessionRow): Promise<StartedTurn | null> {
  const open = await selectOpenTurns(tx.db, session.id);
  const next = open[0];
  if (next?.state !== 'queued') return null;
  return startTurn(tx, session, next);
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
