import type { AgentDefinition } from '../contract/agents.ts';
import { BUILDER_TOOLS } from '../contract/builder.ts';
import type { Message } from '../contract/messages.ts';

/** A draft of an agent as the builder's model wrote it. */
export interface DraftCall {
  readonly callId: string;
  /** The arguments of the call, as JSON. */
  readonly input: string;
}

/** The last one in a message; null when there is none. */
export function draftIn({ parts }: Message): DraftCall | null {
  const part = parts.findLast((one) => one.type === 'tool_call' && one.name === BUILDER_TOOLS.draft);
  return part?.type === 'tool_call' ? part : null;
}

/** Null when it is not the JSON of a definition: then the builder is told so, and tries again. */
export function readDraft({ input }: DraftCall): AgentDefinition | null {
  try {
    const { definition } = JSON.parse(input) as { definition?: AgentDefinition };
    return typeof definition?.agentId === 'string' ? definition : null;
  } catch {
    return null;
  }
}
