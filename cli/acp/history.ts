import type { SessionUpdate } from '@agentclientprotocol/sdk';
import type { Message, Part } from '../../contract/messages.ts';
import { speakerLabel, speakerOf } from '../../contract/speakers.ts';
import { toCall } from './call-update.ts';

/** What was said in a session, for an editor that opens it: who said it is named where that changes. */
export function* replayed(
  messages: readonly Message[],
  primary: string | null,
  names: ReadonlyMap<string, string>,
): Generator<SessionUpdate> {
  let speaker = primary;
  for (const message of messages) {
    if (message.role !== 'assistant') yield* said(message);
    else {
      const name =
        message.agent === speaker || message.agent === null ? null : (names.get(message.agent) ?? message.agent);
      speaker = message.agent;
      yield* answered(message, name);
    }
  }
}

function* said(message: Message): Generator<SessionUpdate> {
  const sessionUpdate = message.role === 'user' ? 'user_message_chunk' : 'agent_thought_chunk';
  const speaker = speakerOf(message);
  const heading = speaker.kind === 'webhook' ? `**${speakerLabel(speaker)}:** ` : '';
  yield { sessionUpdate, content: { type: 'text', text: heading + message.text } };
}

function* answered({ parts }: Message, name: string | null): Generator<SessionUpdate> {
  let heading = name === null ? '' : `**${name}:** `;
  for (const part of parts) {
    const update = toUpdate(part, parts, heading);
    if (part.type === 'text') heading = '';
    if (update) yield update;
  }
}

function toUpdate(part: Part, parts: readonly Part[], heading: string): SessionUpdate | null {
  switch (part.type) {
    case 'text':
      return { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: `${heading}${part.text}\n\n` } };
    case 'reasoning':
      return { sessionUpdate: 'agent_thought_chunk', content: { type: 'text', text: part.text } };
    case 'tool_call': {
      const result = parts.find((one) => one.type === 'tool_result' && one.callId === part.callId);
      const output = result?.type === 'tool_result' ? result.output : null;
      return { sessionUpdate: 'tool_call', ...toCall({ ...part, id: part.callId, output }) };
    }
    default:
      return null;
  }
}
