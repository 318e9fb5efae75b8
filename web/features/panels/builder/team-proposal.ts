import { draftCallsIn, isDraftCall, readTeamDraft, type TeamCall } from '../../../../client/agent-draft.ts';
import type { SessionState } from '../../../../client/session-state.ts';
import { BUILDER_TOOLS, type TeamDraft } from '../../../../contract/builder.ts';
import { isJsonTooDeep } from '../../../../contract/json-depth.ts';
import type { TeamJudgement } from '../../../../contract/teams.ts';

/** A team as the builder would make it. */
export interface TeamProposal {
  /** Of the newest call that changed it. */
  readonly callId: string;
  readonly team: TeamDraft;
  readonly judgement: TeamJudgement | null;
}

interface SeenCall extends TeamCall {
  readonly callId: string;
  readonly output: string | null;
}

const known = new Map<string, { readonly mark: string; readonly proposal: TeamProposal | null }>();

/** The newest draft of a team, also while the turn that made it goes on; null when the last draft is that of an agent. */
export function lastTeamProposal(state: SessionState | undefined): TeamProposal | null {
  if (!state) return null;
  const calls = [...inMessages(state), ...inLiveTurn(state)];
  const mark = calls.map(({ callId, input, output }) => `${callId} ${input.length} ${output?.length ?? ''}`).join();
  const last = known.get(state.sessionId);
  if (last?.mark === mark) return last.proposal;
  const proposal = read(calls);
  known.set(state.sessionId, { mark, proposal });
  return proposal;
}

function read(calls: readonly SeenCall[]): TeamProposal | null {
  const drafts = calls.filter(({ name }) => isDraftCall(name));
  const team = readTeamDraft(drafts);
  const changed = drafts.at(-1);
  if (!team || !changed) return null;
  return { callId: changed.callId, team, judgement: toJudgement(calls.at(-1)!.output) };
}

function inMessages({ messages, headId }: SessionState): SeenCall[] {
  const path: SeenCall[][] = [];
  for (let message = messages.get(headId ?? ''); message; message = messages.get(message.parentId ?? '')) {
    const { parts } = message;
    const outputOf = (callId: string) => {
      const result = parts.find((part) => part.type === 'tool_result' && part.callId === callId);
      return result?.type === 'tool_result' ? result.output : null;
    };
    if (draftCallsIn(message).length === 0 && !parts.some((part) => part.type === 'tool_call' && isCheck(part.name)))
      continue;
    path.push(
      parts.flatMap((part) =>
        part.type === 'tool_call' && isOfDraft(part.name)
          ? [{ callId: part.callId, name: part.name, input: part.input, output: outputOf(part.callId) }]
          : [],
      ),
    );
  }
  return path.reverse().flat();
}

function inLiveTurn({ live }: SessionState): SeenCall[] {
  return (live?.parts ?? []).flatMap((part) => {
    if (part.kind !== 'call' || !isOfDraft(part.call.name)) return [];
    const { id, name, input, output } = part.call;
    return [{ callId: id, name, input, output }];
  });
}

function isCheck(name: string): boolean {
  return name === BUILDER_TOOLS.check;
}

function isOfDraft(name: string): boolean {
  return isDraftCall(name) || isCheck(name);
}

/** Null while there is none, and where it was too long to be shown whole. */
function toJudgement(output: string | null): TeamJudgement | null {
  try {
    const judgement = JSON.parse(output ?? 'null') as TeamJudgement | null;
    return Array.isArray(judgement?.members) ? judgement : null;
  } catch {
    return null;
  }
}

/** What a person has written; null when it is not the JSON of a team. */
export function parseTeam(text: string): TeamDraft | null {
  if (isJsonTooDeep(text)) return null;
  try {
    const team = JSON.parse(text) as Partial<TeamDraft> | null;
    const isTeam =
      typeof team?.name === 'string' &&
      Array.isArray(team.agents) &&
      team.agents.every((agent) => typeof (agent as { agentId?: unknown } | null)?.agentId === 'string');
    return isTeam ? { ...(team as TeamDraft), description: team?.description ?? '' } : null;
  } catch {
    return null;
  }
}
