import type { SessionState } from '../../client/session-state.ts';
import type { AgentDefinition } from '../../contract/agents.ts';
import { BUILDER_TOOLS } from '../../contract/builder.ts';
import type { Message } from '../../contract/messages.ts';

/** An agent as the builder would make it. */
export interface Proposal {
  readonly callId: string;
  readonly definition: AgentDefinition;
}

/** The arguments of a call, as the model wrote them. */
export interface DraftCall {
  readonly callId: string;
  readonly input: string;
}

/** The newest draft of a conversation, also while the turn that made it goes on. The same object until there is another. */
export function lastDraftCall(state: SessionState | undefined): DraftCall | null {
  if (!state) return null;
  return inLiveTurn(state) ?? inMessages(state);
}

const known = new WeakMap<object, DraftCall>();

function inLiveTurn({ live }: SessionState): DraftCall | null {
  const part = live?.parts.findLast((one) => one.kind === 'call' && one.call.name === BUILDER_TOOLS.draft);
  return part?.kind === 'call' ? remembered(part.call, { callId: part.call.id, input: part.call.input }) : null;
}

function inMessages({ messages, headId }: SessionState): DraftCall | null {
  for (let message = messages.get(headId ?? ''); message; message = messages.get(message.parentId ?? '')) {
    const found = inMessage(message);
    if (found) return found;
  }
  return null;
}

function inMessage({ parts }: Message): DraftCall | null {
  const part = parts.findLast((one) => one.type === 'tool_call' && one.name === BUILDER_TOOLS.draft);
  return part?.type === 'tool_call' ? remembered(part, { callId: part.callId, input: part.input }) : null;
}

function remembered(of: object, call: DraftCall): DraftCall {
  const before = known.get(of);
  if (before) return before;
  known.set(of, call);
  return call;
}

/** Null when it is not the JSON of a definition: then the builder is told so, and tries again. */
export function readProposal({ callId, input }: DraftCall): Proposal | null {
  try {
    const { definition } = JSON.parse(input) as { definition?: AgentDefinition };
    return typeof definition?.agentId === 'string' ? { callId, definition } : null;
  } catch {
    return null;
  }
}
