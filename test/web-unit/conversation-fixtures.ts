import { emptyState, type SessionState } from '../../client/session-state.ts';
import type { Message } from '../../contract/messages.ts';
import type { Turn } from '../../contract/turns.ts';
import type { Outgoing } from '../../web/state/sending.ts';
import { AT, aMessage, aTurn } from '../harness/shapes.ts';

export function message(id: string, more: Partial<Message> = {}): Message {
  return aMessage({ id, text: id, ...more });
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

/** One that is over. */
export function turn(id: string, more: Partial<Turn> = {}): Turn {
  return aTurn({ id, agentId: 'ada', state: 'complete', messageId: 'question', startedAt: AT, endedAt: AT, ...more });
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
