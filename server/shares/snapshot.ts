import type { Message, Part } from '../../contract/messages.ts';
import type { SharedMessage, SharedPart } from '../../contract/shares.ts';

/**
 * With its id, by which it is found again when the message is deleted and which nobody else sees; and with its words once,
 * unless they are others than those of its parts.
 */
export type KeptMessage = Omit<SharedMessage, 'text'> & { id: string; text?: string };

export interface Shown {
  toolDetails: boolean;
  /** What an agent is called. */
  nameOf(agentId: string): string;
}

/** A message as everybody may see it; undefined when there is nothing of it to see. */
export function toKept(message: Message, shown: Shown): KeptMessage | undefined {
  const { id, role, agent, guest, createdAt } = message;
  const results = resultsOf(message.parts);
  const parts = message.parts.flatMap((part) => toSharedPart(part, results, shown.toolDetails));
  if (parts.length === 0) return undefined;
  const words = message.text === textOf(parts) ? {} : { text: message.text };
  return { id, role, agent, name: agent && shown.nameOf(agent), guest, ...words, parts, createdAt };
}

export function toShared({ id: _, text, ...message }: KeptMessage): SharedMessage {
  return { ...message, text: text ?? textOf(message.parts) };
}

function textOf(parts: readonly SharedPart[]): string {
  return parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n\n');
}

type Result = Extract<Part, { type: 'tool_result' }>;

function resultsOf(parts: readonly Part[]): Map<string, Result> {
  return new Map(parts.flatMap((part) => (part.type === 'tool_result' ? [[part.callId, part] as const] : [])));
}

/** Thoughts are nobody's business, and results belong to their calls. */
function toSharedPart(part: Part, results: ReadonlyMap<string, Result>, details: boolean): SharedPart[] {
  switch (part.type) {
    case 'text':
      return [{ type: 'text', text: part.text }];
    case 'tool_call':
      return [toCall(part, details ? results.get(part.callId) : undefined, details)];
    case 'file': {
      const { name, mediaType, kind, bytes } = part;
      return [{ type: 'file', name, mediaType, kind, bytes }];
    }
    case 'delegation': {
      const { from, to, state } = part;
      return [{ type: 'delegation', from, to, state }];
    }
    case 'reasoning':
    case 'tool_result':
      return [];
    default:
      return part satisfies never;
  }
}

function toCall(
  { name, state, durationMs, input }: Extract<Part, { type: 'tool_call' }>,
  result: Result | undefined,
  details: boolean,
): SharedPart {
  return {
    type: 'tool_call',
    name,
    state,
    ...(durationMs !== undefined && { durationMs }),
    ...(details && { input }),
    ...(result && { output: result.output, isError: result.isError }),
  };
}
