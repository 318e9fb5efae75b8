import type { Turn } from '../../contract/turns.ts';
import type { EventLog } from '../events/log.ts';
import { loadSession } from '../sessions/store.ts';
import { selectTurns, toTurn } from './store.ts';

export async function listTurns(
  log: EventLog,
  owner: string,
  sessionId: string,
  limit: number,
): Promise<{ turns: Turn[] }> {
  await loadSession(log.db, owner, sessionId);
  return { turns: (await selectTurns(log.db, sessionId, limit)).map(toTurn) };
}
