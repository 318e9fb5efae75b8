import type { AgentDefinition } from '../contract/agents.ts';
import { afterTeamCall, BUILDER_TOOLS, type Judgement, TEAM_CALLS, type TeamDraft } from '../contract/builder.ts';
import { isJsonTooDeep } from '../contract/json-depth.ts';
import type { Message } from '../contract/messages.ts';

/** A draft of an agent as the builder's model wrote it. */
export interface DraftCall {
  readonly callId: string;
  /** The arguments of the call, as JSON. */
  readonly input: string;
  /** What the server said of it, as JSON; null while it has not said anything. */
  readonly output: string | null;
}

/** The last one in a message; null when there is none. */
export function draftIn({ parts }: Message): DraftCall | null {
  const part = parts.findLast((one) => one.type === 'tool_call' && one.name === BUILDER_TOOLS.draft);
  if (part?.type !== 'tool_call') return null;
  const { callId, input } = part;
  const result = parts.find((one) => one.type === 'tool_result' && one.callId === callId);
  return { callId, input, output: result?.type === 'tool_result' ? result.output : null };
}

/** Null when it is not the JSON of a definition: then the builder is told so, and tries again. */
export function readDraft({ input }: DraftCall): AgentDefinition | null {
  if (isJsonTooDeep(input)) return null;
  try {
    const { definition } = JSON.parse(input) as { definition?: AgentDefinition };
    return typeof definition?.agentId === 'string' ? definition : null;
  } catch {
    return null;
  }
}

/** Null while there is none, and where it was too long to be shown whole. */
export function readJudgement({ output }: DraftCall): Judgement | null {
  try {
    const judgement = JSON.parse(output ?? 'null') as Judgement | null;
    return Array.isArray(judgement?.mayUse) ? judgement : null;
  } catch {
    return null;
  }
}

/** A call that drafts: a single agent, or a team as a whole or in part. */
export function isDraftCall(name: string): boolean {
  return name === BUILDER_TOOLS.draft || TEAM_CALLS.has(name);
}

/** A call as far as a draft is made of it. */
export interface TeamCall {
  readonly name: string;
  /** The arguments, as JSON. */
  readonly input: string;
}

/** The team that these calls have drafted, in order; null when the last draft is that of a single agent. */
export function readTeamDraft(calls: readonly TeamCall[]): TeamDraft | null {
  if (!TEAM_CALLS.has(calls.at(-1)?.name ?? '')) return null;
  return calls.reduce<TeamDraft | null>((draft, { name, input }) => afterTeamCall(draft, name, parse(input)), null);
}

/** The calls of a message that draft something. */
export function draftCallsIn({ parts }: Message): TeamCall[] {
  return parts.flatMap((part) => (part.type === 'tool_call' && isDraftCall(part.name) ? [part] : []));
}

function parse(input: string): unknown {
  if (isJsonTooDeep(input)) return null;
  try {
    return JSON.parse(input);
  } catch {
    return null;
  }
}
