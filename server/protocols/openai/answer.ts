import type { StreamFrame } from '../../../contract/events.ts';
import type { Message } from '../../../contract/messages.ts';
import type { Turn } from '../../../contract/turns.ts';

export type AnswerEvent =
  | { type: 'accepted'; turn: Turn }
  | { type: 'text'; text: string }
  /** The turn waits for a person, or goes on. */
  | { type: 'ended'; turn: Turn };

const BETWEEN_PARTS = '\n\n';

/**
 * What the asked agent says, in pieces that together are its whole answer: the texts of its steps with a blank line between
 * them. What its delegates say is theirs, and is not among it.
 */
export async function* answerEvents(frames: AsyncIterable<StreamFrame>): AsyncGenerator<AnswerEvent> {
  let turnId: string | null = null;
  const text = new AnswerText();
  for await (const frame of frames) {
    if (turnId === null && (frame.type === 'turn.queued' || frame.type === 'turn.started')) {
      turnId = frame.turn.id;
      yield { type: 'accepted', turn: frame.turn };
    }
    const piece = text.take(frame, turnId);
    if (piece !== '') yield { type: 'text', text: piece };
    if (frame.type === 'turn.settled' && frame.turn.id === turnId) return yield { type: 'ended', turn: frame.turn };
  }
}

/** Live text, and what a stored message has beyond it. */
class AnswerText {
  #part = '';
  /** Of the message that is being said. */
  #said = '';
  #isBegun = false;

  take(frame: StreamFrame, turnId: string | null): string {
    if (frame.type === 'delta' && frame.turnId === turnId && frame.kind === 'text')
      return this.#add(`${frame.after} ${frame.part}`, frame.text);
    if (frame.type === 'message.created' && frame.message.turnId === turnId) return this.#complete(frame.message);
    return '';
  }

  #add(part: string, text: string): string {
    const separator = this.#isBegun && part !== this.#part ? BETWEEN_PARTS : '';
    const within = this.#said !== '' && part !== this.#part ? BETWEEN_PARTS : '';
    this.#part = part;
    this.#said += within + text;
    this.#isBegun = true;
    return separator + text;
  }

  #complete({ id, text }: Message): string {
    const said = this.#said;
    this.#said = '';
    this.#part = `after ${id}`;
    if (!text.startsWith(said)) return '';
    const rest = text.slice(said.length);
    const separator = said === '' && rest !== '' && this.#isBegun ? BETWEEN_PARTS : '';
    this.#isBegun ||= rest !== '';
    return separator + rest;
  }
}
