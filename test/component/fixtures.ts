import type { QueueEntry } from '../../client/session-state.ts';
import type { Action, ApprovalRequest } from '../../contract/actions.ts';
import type { Message } from '../../contract/messages.ts';
import type { Session } from '../../contract/sessions.ts';
import type { ToolCall } from '../../contract/tools.ts';
import type { Turn } from '../../contract/turns.ts';

const AT = '2026-01-01T10:00:00.000Z';

export function session(id: string, given: Partial<Session> = {}): Session {
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
    createdAt: AT,
    updatedAt: AT,
    lastActivityAt: AT,
    ...given,
  };
}

export function turn(id: string, given: Partial<Turn> = {}): Turn {
  return {
    id,
    sessionId: 's1',
    agentId: 'coder',
    guest: false,
    state: 'queued',
    messageId: `${id}-message`,
    answerId: null,
    parentTurnId: null,
    rootTurnId: null,
    retryOf: null,
    steeredInto: null,
    stopReason: null,
    error: null,
    usage: null,
    createdAt: AT,
    startedAt: null,
    endedAt: null,
    ...given,
  };
}

export function message(id: string, text: string, given: Partial<Message> = {}): Message {
  return {
    id,
    sessionId: 's1',
    seq: null,
    parentId: null,
    turnId: null,
    role: 'user',
    agent: null,
    guest: false,
    status: 'queued',
    text,
    parts: [{ type: 'text', text }],
    archived: false,
    createdAt: AT,
    ...given,
  };
}

export function queued(id: string, text: string, given: Partial<Turn> = {}): QueueEntry {
  return { turn: turn(id, given), message: message(`${id}-message`, text, { turnId: id }) };
}

export function call(state: ToolCall['state'], given: Partial<ToolCall> = {}): ToolCall {
  return {
    id: 'c1',
    sessionId: 's1',
    turnId: 't1',
    agentId: 'coder',
    name: 'notes_read',
    input: '{"name":"plan"}',
    state,
    via: 'model',
    part: 0,
    step: 0,
    output: null,
    outputBytes: 0,
    actionId: null,
    createdAt: AT,
    startedAt: AT,
    endedAt: null,
    ...given,
  };
}

export function approval(id: string, given: Partial<ApprovalRequest> = {}): Action {
  return {
    id,
    kind: 'approval',
    state: 'open',
    title: 'coder wants to use shell',
    sessionId: 's1',
    turnId: 't1',
    agentId: 'coder',
    chain: [{ agentId: 'coder', turnId: 't1', sessionId: 's1' }],
    approval: {
      callId: 'c1',
      tool: 'shell',
      description: 'Runs a command.',
      input: '{"command":"ls"}',
      risk: 'execute',
      source: { kind: 'built-in', id: 'shell' },
      capabilities: [],
      ...given,
    },
    question: null,
    limit: null,
    failure: null,
    answer: null,
    createdAt: AT,
    settledAt: null,
    expiresAt: null,
  };
}
