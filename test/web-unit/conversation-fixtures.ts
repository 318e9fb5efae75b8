import { emptyState, type SessionState } from '../../client/session-state.ts';
import type { Message } from '../../contract/messages.ts';
import type { Turn } from '../../contract/turns.ts';
import type { Outgoing } from '../../web/composer/sending.ts';

export const AT = '2026-01-01T10:00:00.000Z';

export function message(id: string, more: Partial<Message> = {}): Message {
  return {
    id,
    sessionId: 's',
    seq: null,
    parentId: null,
    turnId: null,
    role: 'user',
    agent: null,
    guest: false,
    status: 'complete',
    text: id,
    parts: [{ type: 'text', text: more.text ?? id }],
    archived: false,
    createdAt: AT,
    ...more,
  };
}

/** One after the other, numbered from one. */
export function conversation(messages: readonly Message[], more: Partial<SessionState> = {}): SessionState {
  const placed = messages.map((one, index) => ({
    ...one,
    seq: one.seq ?? index + 1,
    parentId: messages[index - 1]?.id ?? null,
  }));
  return {
    ...emptyState('s'),
    messages: new Map(placed.map((one) => [one.id, one])),
    headId: placed.at(-1)?.id ?? null,
    ...more,
  };
}

export function turn(id: string, more: Partial<Turn> = {}): Turn {
  return {
    id,
    sessionId: 's',
    agentId: 'ada',
    guest: false,
    state: 'complete',
    messageId: 'question',
    answerId: null,
    parentTurnId: null,
    rootTurnId: null,
    retryOf: null,
    steeredInto: null,
    stopReason: null,
    error: null,
    usage: null,
    createdAt: AT,
    startedAt: AT,
    endedAt: AT,
    ...more,
  };
}

export function outgoing(id: string, more: Partial<Outgoing> = {}): Outgoing {
  return {
    id,
    sessionId: 's',
    content: id,
    busy: 'queue',
    files: [],
    place: 'transcript',
    state: 'sending',
    reason: null,
    createdAt: AT,
    ...more,
  };
}
