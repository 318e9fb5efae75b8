import type { TextEvent } from '../text-agent.ts';

/** Leaves out what was said before the server stopped: a snapshot of the task brings it again. */
export class ResumedText {
  #left: string;

  constructor(said: string) {
    this.#left = said;
  }

  take(event: TextEvent): TextEvent[] {
    if (this.#left === '') return [event];
    if (event.type === 'new_message') {
      this.#left = this.#left.trimStart();
      return [];
    }
    return event.type === 'text' ? this.#text(event.text) : [event];
  }

  #text(text: string): TextEvent[] {
    const length = Math.min(this.#left.length, text.length);
    if (this.#left.slice(0, length) !== text.slice(0, length)) {
      this.#left = '';
      return [{ type: 'new_message' }, { type: 'text', text }];
    }
    this.#left = this.#left.slice(length);
    return length < text.length ? [{ type: 'text', text: text.slice(length) }] : [];
  }
}
