import { type DraftCall, draftIn, readDraft, readJudgement } from '../../../../client/agent-draft.ts';
import type { SessionState } from '../../../../client/session-state.ts';
import type { AgentDefinition } from '../../../../contract/agents.ts';
import { BUILDER_TOOLS, type Judgement } from '../../../../contract/builder.ts';

/** An agent as the builder would make it. */
export interface Proposal {
  readonly callId: string;
  readonly definition: AgentDefinition;
  readonly judgement: Judgement | null;
}

/** The newest draft of a conversation, also while the turn that made it goes on. The same object until there is another. */
export function lastProposal(state: SessionState | undefined): Proposal | null {
  const call = state && (inLiveTurn(state) ?? inMessages(state));
  return call ? read(state.sessionId, call) : null;
}

function inLiveTurn({ live }: SessionState): DraftCall | null {
  const part = live?.parts.findLast((one) => one.kind === 'call' && one.call.name === BUILDER_TOOLS.draft);
  if (part?.kind !== 'call') return null;
  const { id, input, output } = part.call;
  return { callId: id, input, output };
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
  if (last && isSame(last.call, call)) return last.proposal;
  const definition = readDraft(call);
  const proposal = definition && { callId: call.callId, definition, judgement: readJudgement(call) };
  known.set(sessionId, { call, proposal });
  return proposal;
}

function isSame(one: DraftCall, other: DraftCall): boolean {
  return one.callId === other.callId && one.input === other.input && one.output === other.output;
}
