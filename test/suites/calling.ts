import type { Message, Part } from '../../contract/messages.ts';
import type { RecordedRequest } from '../harness/scripted-provider.ts';
import { type Script, type Step, text } from '../harness/scripted-script.ts';

export interface WireMessage {
  role: string;
  content: string | null;
  tool_calls?: { id: string; function: { name: string; arguments: string } }[];
  tool_call_id?: string;
  reasoning_content?: string;
}

/**
 * A model that does what it is told: `call NAME {…}; NAME {…} then NAME {…}` makes the calls of one step and then of the
 * next, with a word before each, and in the end says back what the tools of the last step answered.
 */
export function callAsTold({ body, said }: RecordedRequest): Script {
  if (!said.startsWith('call ')) return { steps: text(`No tools for “${said}”.`) };
  const since = messagesSince(body.messages as WireMessage[]);
  const done = since.filter(({ tool_calls }) => tool_calls).length;
  const wanted = said.slice('call '.length).split(' then ')[done];
  if (wanted !== undefined) return { steps: [...text(`Step ${done}.`), ...toCalls(wanted)] };
  const last = since.slice(since.findLastIndex(({ tool_calls }) => tool_calls) + 1);
  return { steps: text(`Tools said: ${last.map(({ content }) => content).join(' | ')}`) };
}

/** Everything since the person spoke last. */
function messagesSince(messages: WireMessage[]): WireMessage[] {
  return messages.slice(messages.findLastIndex(({ role }) => role === 'user') + 1);
}

function toCalls(wanted: string): Step[] {
  return wanted.split('; ').map((call, index) => {
    const [name = '', ...input] = call.split(' ');
    return { kind: 'toolCall', id: `from-model-${index}`, name, input: input.join(' ') };
  });
}

export function wireMessages({ body }: RecordedRequest): WireMessage[] {
  return body.messages as WireMessage[];
}

export type CallPart = Extract<Part, { type: 'tool_call' }>;
export type ResultPart = Extract<Part, { type: 'tool_result' }>;

export function callsIn({ parts }: Message): CallPart[] {
  return parts.filter((part) => part.type === 'tool_call');
}

export function resultsIn({ parts }: Message): ResultPart[] {
  return parts.filter((part) => part.type === 'tool_result');
}

export function kindsIn({ parts }: Message): string[] {
  return parts.map((part) => part.type);
}
