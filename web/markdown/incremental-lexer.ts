import type { Token } from 'marked';
import { BoundedLexer } from './bounded-lexer.ts';

/** The last two blocks of a growing text may still turn into something else; those before them never do. */
const UNSETTLED = 2;
const NONE = '{}';

/** Reads Markdown that grows: blocks that can no longer change are kept, only the end is read again. */
export class IncrementalLexer {
  #text = '';
  #tokens: readonly Token[] = [];
  #definitions = NONE;

  /** What references mean in the text that was read last. Words that stay the same may mean something else with others. */
  get definitions(): string {
    return this.#definitions;
  }

  lex(text: string): readonly Token[] {
    if (text === this.#text) return this.#tokens;
    const grows = text.startsWith(this.#text) && this.#definitions === NONE;
    const kept = grows ? this.#settled() : [];
    const start = kept.reduce((sum, token) => sum + token.raw.length, 0);
    const read = new BoundedLexer().lex(text.slice(start));
    // A definition anywhere gives meaning to references everywhere: then the whole is read each time.
    this.#definitions = JSON.stringify(read.links);
    this.#tokens = this.#definitions !== NONE && kept.length > 0 ? new BoundedLexer().lex(text) : [...kept, ...read];
    this.#text = text;
    return this.#tokens;
  }

  #settled(): readonly Token[] {
    let open = UNSETTLED;
    let end = this.#tokens.length;
    while (end > 0 && open > 0) if (this.#tokens[--end]!.type !== 'space') open -= 1;
    return this.#tokens.slice(0, end);
  }
}
