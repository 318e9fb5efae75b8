import { speakerLabel, speakerOf } from '../../../contract/speakers.ts';
import type { AttributedMessage } from '../agent.ts';

/**
 * `User: …` and `wisp/concierge: …`, for agents that read text and for summaries. Further lines of a message are
 * indented, so that no text can begin a line with another speaker's name. No agent is called `User` or `Assistant`: an
 * imported one with such an id is labelled `agent "user"`.
 */
export function labelledTranscript(messages: readonly AttributedMessage[]): string {
  return messages.map((message) => `${speakerLabel(speakerOf(message))}: ${indentRest(message.text)}`).join('\n');
}

/** Every character that ends a line somewhere, not only the newline. */
const LINE_END = /\r\n|[\n\r\u0085\u2028\u2029\v\f]/g;

/** Further lines are indented: no line of the text can look like the beginning of a message. */
export function indentRest(text: string): string {
  return text.replace(LINE_END, '\n  ');
}
