import { lookOfUnknown } from '../../contract/agent-looks.ts';
import type { AgentLook } from '../../contract/agents.ts';
import type { CutReason } from '../../contract/cut-answer.ts';
import type { Message, Part } from '../../contract/messages.ts';
import type { SharedMessage, SharedPart } from '../../contract/shares.ts';

type SharedDelegation = Extract<SharedPart, { type: 'delegation' }>;
/** `from` and `to` are ids; shares made by earlier versions do not have the names. */
type KeptDelegation = SharedDelegation & { fromName?: string; toName?: string };
export type KeptPart = Exclude<SharedPart, SharedDelegation> | KeptDelegation;

/**
 * With the ids of the message and its agent, which readers of the share do not get: the message is found again by its id when
 * it is deleted, and a copy names the agent. The text is left out where it is that of the parts.
 */
export type KeptMessage = Omit<SharedMessage, 'text' | 'look' | 'parts'> & {
  id: string;
  text?: string;
  look?: AgentLook | null;
  parts: KeptPart[];
};

export interface Shown {
  toolDetails: boolean;
  /** What an agent is called. */
  nameOf(agentId: string): string;
  lookOf(agentId: string): AgentLook;
}

/** Where a message stands. */
export interface MessageContext {
  /** The session in which a tool runs in the background. */
  isToolSession: boolean;
  before: Message | undefined;
  /** Why the message ends early, if it does. */
  cut: CutReason | undefined;
}

/** A message as every reader of the link may see it; undefined when there is nothing of it to see. */
export function toKept(message: Message, shown: Shown, context: MessageContext): KeptMessage | undefined {
  const { id, role, agent, guest, createdAt } = message;
  const results = resultsOf(message.parts);
  const output = isOutput(message, context);
  const parts = message.parts
    .flatMap((part) => toKeptPart(part, results, shown))
    .map((part) => (output && part.type === 'text' ? { ...part, isOutput: true as const } : part));
  if (parts.length === 0) return undefined;
  const words = message.text === textOf(parts) ? {} : { text: message.text };
  return {
    id,
    role,
    agent,
    name: agent && shown.nameOf(agent),
    look: agent === null ? null : shown.lookOf(agent),
    guest,
    ...words,
    parts,
    ...(context.cut && { cut: context.cut }),
    createdAt,
  };
}

/** What readers of a share get: agents by number and by name instead of by id. */
export function toShared(messages: readonly KeptMessage[]): SharedMessage[] {
  const names = new Map(messages.map(({ agent, name }) => [agent, name]));
  const numbers = new Map<string, string>();
  return messages.map(({ id: _, look, ...message }) => ({
    ...message,
    agent: message.agent && numberOf(message.agent, numbers),
    // Shares made by earlier versions hold no looks.
    look: look ?? (message.agent === null ? null : lookOfUnknown(message.agent)),
    text: textIn(message),
    parts: message.parts.map((part) => (part.type === 'delegation' ? withNames(part, names) : part)),
  }));
}

export function textIn({ text, parts }: Pick<KeptMessage, 'text' | 'parts'>): string {
  return text ?? textOf(parts);
}

function numberOf(agentId: string, numbers: Map<string, string>): string {
  const number = numbers.get(agentId) ?? `agent-${numbers.size + 1}`;
  numbers.set(agentId, number);
  return number;
}

function withNames(
  { type, from, to, state, fromName, toName }: KeptDelegation,
  names: ReadonlyMap<string | null, string | null>,
): SharedDelegation {
  return { type, from: fromName ?? names.get(from) ?? 'Agent', to: toName ?? names.get(to) ?? 'Agent', state };
}

function textOf(parts: readonly KeptPart[]): string {
  return parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n\n');
}

/** Whether its words are a command or what one printed: those of a background tool, here or reported from elsewhere. */
function isOutput(message: Message, { isToolSession, before }: MessageContext): boolean {
  if (message.parts.some((part) => part.type === 'delegation' && part.via === 'background')) return true;
  return isToolSession && (isTask(message) || (message.role === 'assistant' && isTask(before)));
}

function isTask(message: Message | undefined): boolean {
  return message?.role === 'user' && message.agent !== null;
}

type Result = Extract<Part, { type: 'tool_result' }>;

function resultsOf(parts: readonly Part[]): Map<string, Result> {
  return new Map(parts.flatMap((part) => (part.type === 'tool_result' ? [[part.callId, part] as const] : [])));
}

/** Reasoning, notices and diffs are not shared, and results belong to their calls. */
function toKeptPart(part: Part, results: ReadonlyMap<string, Result>, shown: Shown): KeptPart[] {
  switch (part.type) {
    case 'text':
      return [{ type: 'text', text: part.text }];
    case 'tool_call': {
      const details = shown.toolDetails && !HOLDS_IDS.test(part.name);
      return [toCall(part, details ? results.get(part.callId) : undefined, details)];
    }
    case 'file': {
      const { name, mediaType, kind, bytes } = part;
      return [{ type: 'file', name, mediaType, kind, bytes }];
    }
    case 'delegation': {
      const { from, to, state } = part;
      return [{ type: 'delegation', from, to, state, fromName: shown.nameOf(from), toName: shown.nameOf(to) }];
    }
    case 'webhook':
      return [{ type: 'webhook', name: part.name }];
    case 'reasoning':
    case 'diff':
    case 'notice':
    case 'tool_result':
      return [];
    default:
      return part satisfies never;
  }
}

/** Tools whose inputs and outputs hold ids of agents, sessions and turns, and the titles of other sessions. */
const HOLDS_IDS = /^(agents|sessions|builder)_/;

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
