import type { Action } from '../../contract/actions.ts';
import type { Session } from '../../contract/sessions.ts';

let made = 0;

/** A session as a list shows it; each is newer than the one before. */
export function session(id: string, given: Partial<Session> = {}): Session {
  made += 1;
  const at = new Date(Date.UTC(2026, 0, 1, 0, 0, made)).toISOString();
  return {
    id,
    type: 'conversation',
    status: 'active',
    agentId: 'coder',
    sender: 'user',
    name: null,
    title: id,
    folder: null,
    parentSessionId: null,
    mode: 'full',
    forkedFrom: null,
    headId: null,
    agents: [],
    messageCount: 0,
    queuedCount: 0,
    unreadCount: 0,
    lastSnippet: '',
    lastSeq: 1,
    attributes: {},
    pinnedAt: null,
    archivedAt: null,
    createdAt: at,
    updatedAt: at,
    lastActivityAt: at,
    ...given,
  };
}

export function approval(id: string, sessionId: string, given: Partial<Action> = {}): Action {
  return {
    id,
    kind: 'approval',
    state: 'open',
    title: 'coder wants to use bash',
    sessionId,
    turnId: `${id}-turn`,
    agentId: 'coder',
    chain: [{ agentId: 'coder', turnId: `${id}-turn`, sessionId }],
    approval: {
      callId: `${id}-call`,
      tool: 'bash',
      description: '',
      input: '{}',
      risk: 'execute',
      source: { kind: 'builtin', plugin: 'bash' },
      capabilities: [],
    } as unknown as Action['approval'],
    question: null,
    limit: null,
    failure: null,
    answer: null,
    createdAt: '2026-01-01T00:00:00.000Z',
    settledAt: null,
    expiresAt: null,
    ...given,
  };
}

export function byId<T extends { id: string }>(...items: readonly T[]): ReadonlyMap<string, T> {
  return new Map(items.map((item) => [item.id, item]));
}

export const NOBODY: ReadonlySet<string> = new Set();
