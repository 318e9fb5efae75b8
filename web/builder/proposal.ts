import { type DraftCall, draftIn, readDraft } from '../../client/agent-draft.ts';
import type { SessionState } from '../../client/session-state.ts';
import type { AgentDefinition } from '../../contract/agents.ts';
import { BUILDER_TOOLS } from '../../contract/builder.ts';

/** An agent as the builder would make it. */
export interface Proposal {
  readonly callId: string;
  readonly definition: AgentDefinition;
}

/** The newest draft of a conversation, also while the turn that made it goes on. The same object until there is another. */
export function lastProposal(state: SessionState | undefined): Proposal | null {
  const call = state && (inLiveTurn(state) ?? inMessages(state));
  return call ? read(state.sessionId, call) : null;
}

function inLiveTurn({ live }: SessionState): DraftCall | null {
  const part = live?.parts.findLast((one) => one.kind === 'call' && one.call.name === BUILDER_TOOLS.draft);
  return part?.kind === 'call' ? { callId: part.call.id, input: part.call.input } : null;
}

function inMessages({ messages, headId }: SessionState): DraftCall | null {
  for (let message = messages.get(headId ?? ''); message; message = messages.get(message.parentId ?? '')) {
    const call = draftIn(message);
    if (call) return call;
  }
  return null;
}

const known = new Map<string, { readonly call: DraftCall; readonly proposal: Proposal | null }>();

/** Asked with every token; read once. */
function read(sessionId: string, call: DraftCall): Proposal | null {
  const last = known.get(sessionId);
  if (last?.call.callId === call.callId && last.call.input === call.input) return last.proposal;
  const definition = readDraft(call);
  const proposal = definition && { callId: call.callId, definition };
  known.set(sessionId, { call, proposal });
  return proposal;
}
