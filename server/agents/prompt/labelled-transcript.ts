import type { AttributedMessage } from '../adapter.ts';

/**
 * `User: …` and `wisp/concierge: …`, for agents that read text and for summaries. Further lines of a message are
 * indented, so that no text can begin a line with somebody else's name.
 */
export function labelledTranscript(messages: readonly AttributedMessage[]): string {
  return messages.map((message) => `${labelOf(message)}: ${indentRest(message.text)}`).join('\n');
}

/** `Assistant` only for old messages that do not say who spoke. */
export function labelOf({ role, agent, from }: Pick<AttributedMessage, 'role' | 'agent' | 'from'>): string {
  switch (role) {
    case 'user':
      return agent ?? 'User';
    case 'delegation':
      return `${from ?? 'Assistant'} to ${agent}`;
    case 'assistant':
      return agent ?? 'Assistant';
  }
}

/** Every character that ends a line somewhere, not only the newline. */
const LINE_END = /\r\n|[\n\r\u0085\u2028\u2029\v\f]/g;

function indentRest(text: string): string {
  return text.replace(LINE_END, '\n  ');
}
