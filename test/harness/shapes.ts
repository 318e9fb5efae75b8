import type { Action, ApprovalRequest } from '../../contract/actions.ts';
import type { Agent } from '../../contract/agents.ts';
import type { Delegation } from '../../contract/delegation.ts';
import type { Message } from '../../contract/messages.ts';
import type { Compaction, Session } from '../../contract/sessions.ts';
import type { ToolCall } from '../../contract/tools.ts';
import type { Turn } from '../../contract/turns.ts';

export const AT = '2026-01-01T10:00:00.000Z';

/** Things as the contract describes them, with what a test says about them. */
export function aTurn(known: Partial<Turn> = {}): Turn {
  return {
    id: 't1',
    sessionId: 's',
    agentId: 'a',
    guest: false,
    state: 'queued',
    messageId: 'm1',
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
    waitedMs: 0,
    ...known,
  };
}

export function aMessage(known: Partial<Message> = {}): Message {
  const text = known.text ?? '';
  return {
    id: 'm1',
    sessionId: 's',
    seq: null,
    parentId: null,
    turnId: null,
    role: 'user',
    agent: null,
    guest: false,
    status: 'complete',
    text,
    parts: [{ type: 'text', text }],
    archived: false,
    createdAt: AT,
    ...known,
  };
}

export function aSession(known: Partial<Session> = {}): Session {
  const nothing = {
    name: null,
    folder: null,
    workspace: null,
    team: null,
    parentSessionId: null,
    delegatedFrom: null,
    forkedFrom: null,
    headId: null,
  };
  const counts = { messageCount: 0, queuedCount: 0, unreadCount: 0, lastSnippet: '', lastSpeaker: null, lastSeq: 0 };
  const times = { pinnedAt: null, archivedAt: null, createdAt: AT, updatedAt: AT, lastActivityAt: AT };
  return {
    id: 's',
    type: 'conversation',
    status: 'active',
    agentId: 'a',
    sender: 'user',
    title: 'New session',
    mode: 'full',
    agents: [],
    attributes: {},
    ...nothing,
    ...counts,
    ...times,
    ...known,
  };
}

export function aCall(known: Partial<ToolCall> = {}): ToolCall {
  return {
    id: 'c1',
    sessionId: 's',
    turnId: 't1',
    agentId: 'a',
    name: 'lists_add',
    input: '{"text":"milk"}',
    state: 'running',
    via: 'model',
    part: 0,
    step: 0,
    output: null,
    outputBytes: 0,
    actionId: null,
    answers: [],
    waitedMs: 0,
    createdAt: AT,
    startedAt: AT,
    endedAt: null,
    ...known,
  };
}

export function anAction(known: Partial<Action> = {}): Action {
  const nothing = { approval: null, question: null, limit: null, failure: null, answer: null };
  return {
    id: 'x1',
    kind: 'approval',
    state: 'open',
    title: 'a wants to use bash',
    sessionId: 's',
    turnId: 't1',
    agentId: 'a',
    chain: [{ agentId: 'a', turnId: 't1', sessionId: 's' }],
    ...nothing,
    createdAt: AT,
    settledAt: null,
    expiresAt: null,
    ...known,
  };
}

export function anApproval(known: Partial<ApprovalRequest> = {}): ApprovalRequest {
  return {
    callId: 'c1',
    tool: 'bash',
    description: 'Runs a command.',
    input: '{"command":"ls"}',
    risk: 'execute',
    source: { kind: 'built-in', id: 'bash' },
    capabilities: [],
    folder: null,
    ...known,
  };
}

export function anAgent(agentId: string, known: Partial<Agent> = {}): Agent {
  return {
    agentId,
    displayName: agentId,
    description: '',
    type: 'chat',
    parentAgentId: null,
    provider: 'demo',
    model: 'demo',
    uiVisible: true,
    color: '#0099a0',
    icon: null,
    initials: agentId.slice(0, 2).toUpperCase(),
    welcomeMessage: null,
    starters: [],
    available: true,
    unavailableReason: null,
    fullAuthority: false,
    attachments: [],
    steers: true,
    ...known,
  };
}

export function aDelegation(known: Partial<Delegation> = {}): Delegation {
  return {
    turnId: 't2',
    sessionId: 's',
    parentTurnId: 't1',
    parentSessionId: 's',
    from: 'a',
    to: 'b',
    via: 'tag',
    mode: 'sync',
    task: 'look it up',
    state: 'started',
    reason: null,
    ...known,
  };
}

export function aCompaction(uptoSeq: number): Compaction {
  const about = { id: 'k1', sessionId: 's', agentId: 'a', summary: 'in short' };
  return { ...about, archivedCount: 1, uptoSeq: Math.floor(uptoSeq), createdAt: AT };
}
