import type { QueueEntry } from '../../client/session-state.ts';
import type { Action, ApprovalRequest } from '../../contract/actions.ts';
import type { Message } from '../../contract/messages.ts';
import type { Session } from '../../contract/sessions.ts';
import type { ToolCall } from '../../contract/tools.ts';
import type { Turn } from '../../contract/turns.ts';
import { aCall, aMessage, anAction, anApproval, aSession, aTurn } from '../harness/shapes.ts';

/** All of it belongs to the coder, in one session. */
const OWN = { sessionId: 's1', agentId: 'coder' };

export function session(id: string, given: Partial<Session> = {}): Session {
  return aSession({ id, agentId: OWN.agentId, title: id, ...given });
}

export function turn(id: string, given: Partial<Turn> = {}): Turn {
  return aTurn({ ...OWN, id, messageId: `${id}-message`, ...given });
}

export function message(id: string, text: string, given: Partial<Message> = {}): Message {
  return aMessage({ id, sessionId: OWN.sessionId, status: 'queued', text, ...given });
}

export function queued(id: string, text: string, given: Partial<Turn> = {}): QueueEntry {
  return { turn: turn(id, given), message: message(`${id}-message`, text, { turnId: id }) };
}

export function call(state: ToolCall['state'], given: Partial<ToolCall> = {}): ToolCall {
  return aCall({ ...OWN, name: 'notes_read', input: '{"name":"plan"}', state, ...given });
}

export function approval(id: string, given: Partial<ApprovalRequest> = {}): Action {
  return anAction({
    ...OWN,
    id,
    title: 'coder wants to use shell',
    chain: [{ ...OWN, turnId: 't1' }],
    approval: anApproval({ tool: 'shell', source: { kind: 'built-in', id: 'shell' }, ...given }),
  });
}
