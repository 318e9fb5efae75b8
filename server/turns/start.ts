import type { Message } from '../../contract/messages.ts';
import type { SessionMode, SessionType } from '../../contract/sessions.ts';
import type { Tx } from '../events/log.ts';
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
  const message = await placeInput(tx, session, turn);
  Object.assign(turn, { state: 'running', started_at: tx.now, steer_into: null });
  await saveTurn(tx.db, turn.id, { state: turn.state, started_at: turn.started_at, steer_into: null });
  session.status = 'working';
  touch(tx, session);
  tx.append(session, { type: 'turn.started', turn: toTurn(turn), status: 'working', message });
  await saveSession(tx.db, session);
  return toStarted(session, turn, message);
}

/** Something happened here: the session moves to the top of the list. */
export function touch(tx: Tx, session: SessionRow): void {
  session.updated_at = tx.now;
  session.last_activity_at = tx.now;
}
