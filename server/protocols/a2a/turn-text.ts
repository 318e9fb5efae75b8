import type { StreamFrame } from '../../../contract/events.ts';

/** The text of one turn as it comes, whatever else happens in its session. Costs the same for every piece. */
export class TurnText {
  readonly #turnId: string;
  /** Where the last piece was: texts of one part go together, others are a paragraph apart. */
  #last = '';
  #hasSpoken = false;

  constructor(turnId: string) {
    this.#turnId = turnId;
  }

  get hasSpoken(): boolean {
    return this.#hasSpoken;
  }

  take(frame: StreamFrame): string {
    if (frame.type === 'delta' && frame.turnId === this.#turnId && frame.kind === 'text')
      return this.#piece(`${frame.after} ${frame.part}`, frame.text);
    if (frame.type !== 'turn.partial' || frame.turnId !== this.#turnId) return '';
    const texts = frame.parts.filter(({ kind }) => kind === 'text');
    return texts.map(({ part, text }) => this.#piece(`${frame.after} ${part}`, text)).join('');
  }

  #piece(place: string, text: string): string {
    const separator = this.#hasSpoken && place !== this.#last ? '\n\n' : '';
    this.#last = place;
    this.#hasSpoken ||= text !== '';
    return separator + text;
  }
}
