import type { Action } from '../../contract/actions.ts';
import type { Session } from '../../contract/sessions.ts';
import { anAction, anApproval, aSession } from '../harness/shapes.ts';

let made = 0;

/** A session as a list shows it; each is newer than the one before. */
export function session(id: string, given: Partial<Session> = {}): Session {
  made += 1;
  const at = new Date(Date.UTC(2026, 0, 1, 0, 0, made)).toISOString();
  return aSession({ id, title: id, agentId: 'coder', createdAt: at, updatedAt: at, lastActivityAt: at, ...given });
}

export function approval(id: string, sessionId: string, given: Partial<Action> = {}): Action {
  const turnId = `${id}-turn`;
  return anAction({
    id,
    sessionId,
    turnId,
    agentId: 'coder',
    chain: [{ agentId: 'coder', turnId, sessionId }],
    approval: anApproval({ callId: `${id}-call` }),
    ...given,
  });
}

export function byId<T extends { id: string }>(...items: readonly T[]): ReadonlyMap<string, T> {
  return new Map(items.map((item) => [item.id, item]));
}

export const NOBODY: ReadonlySet<string> = new Set();
