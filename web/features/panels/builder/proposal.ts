import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import { type DraftCall, draftIn, readDraft, readJudgement } from '../../../../client/agent-draft.ts';
import type { SessionState } from '../../../../client/session-state.ts';
import type { AgentDefinition } from '../../../../contract/agents.ts';
import { BUILDER_TOOLS, type Judgement } from '../../../../contract/builder.ts';
import { text } from '../../../i18n/text.ts';
import { recall, remember } from '../../../state/device-memory.ts';

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

/** What a person has made of a draft. */
export interface HandEdit {
  /** The call that proposed what was changed. */
  readonly callId: string;
  readonly text: string;
  /** The builder has been sent exactly this. */
  readonly isTold: boolean;
}

type Edits = Readonly<Record<string, HandEdit>>;

const KEY = 'parley.handEdits';
const KEPT = 20;

/** By session; on this device only. */
const edits = createStore<Edits>()(() => recall(KEY, {}));

export function useHandEdit(sessionId: string): HandEdit | undefined {
  return useStore(edits, (state) => state[sessionId]);
}

export function editByHand(sessionId: string, callId: string, written: string): void {
  put(sessionId, { callId, text: written, isTold: false });
}

export function forgetHandEdit(sessionId: string): void {
  put(sessionId, undefined);
}

/** Goes with the next message, so that the builder goes on from there. Null when there is nothing to tell. */
export function tellHandEdit(sessionId: string): string | null {
  const edit = edits.getState()[sessionId];
  if (!edit || edit.isTold || !isJson(edit.text)) return null;
  put(sessionId, { ...edit, isTold: true });
  return `${text('builder.changed')}\n\n\`\`\`json\n${edit.text.trim()}\n\`\`\``;
}

function put(sessionId: string, edit: HandEdit | undefined): void {
  const { [sessionId]: _, ...others } = edits.getState();
  const kept = Object.entries(others).slice(1 - KEPT);
  const next = Object.fromEntries(edit ? [...kept, [sessionId, edit]] : kept);
  edits.setState(next, true);
  remember(KEY, next);
}

function isJson(written: string): boolean {
  try {
    JSON.parse(written);
    return true;
  } catch {
    return false;
  }
}
