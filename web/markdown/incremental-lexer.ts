import { Lexer, type Token, type TokensList } from 'marked';

/** The last two blocks of a growing text may still turn into something else; those before them never do. */
const UNSETTLED = 2;

/** Reads Markdown that grows: blocks that can no longer change are kept, only the end is read again. */
export class IncrementalLexer {
  #text = '';
  #tokens: readonly Token[] = [];
  #hasReferences = false;

  lex(text: string): readonly Token[] {
    if (text === this.#text) return this.#tokens;
    const grows = text.startsWith(this.#text) && !this.#hasReferences;
    const kept = grows ? this.#settled() : [];
    const start = kept.reduce((sum, token) => sum + token.raw.length, 0);
    const read = new Lexer().lex(text.slice(start));
    // A definition anywhere gives meaning to references everywhere: then the whole is read each time.
    this.#hasReferences = hasLinks(read);
    this.#tokens = this.#hasReferences && kept.length > 0 ? new Lexer().lex(text) : [...kept, ...read];
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

function hasLinks(tokens: TokensList): boolean {
  return Object.keys(tokens.links).length > 0;
}
