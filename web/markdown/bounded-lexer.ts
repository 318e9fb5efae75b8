import { getDefaults, Lexer, type Token, Tokenizer, type Tokens } from 'marked';
import { MATH_SYNTAX } from './math-syntax.ts';

/** Quotations and lists inside each other. What is deeper is shown as it was written. */
const DEEPEST_BLOCKS = 12;
/** Emphasis, links and struck words inside each other. */
const DEEPEST_INLINE = 12;
/** The library takes time in proportion to the square of a run of words, so long runs are read piece by piece. */
const LONGEST_RUN = 4_000;
/** The same holds for lists. A longer one goes on as another list. */
const LONGEST_LIST = 6_000;
/** How many lines are searched for the beginning of an item, where a long list is cut. */
const LINES_TO_ITEM = 40;

/** A wider table cannot be read on any screen, and takes long to draw. */
const MOST_COLUMNS = 200;

/**
 * Reads Markdown in bounded depth and in time that grows with the length of the text, whatever the text is. What goes
 * beyond a bound becomes plain text; nothing is left out.
 */
class BoundedLexer extends Lexer {
  #blockDepth = 0;
  #inlineDepth = 0;

  constructor() {
    super({ ...getDefaults(), tokenizer: new BoundedTokenizer(), extensions: MATH_SYNTAX });
  }

  override blockTokens(src: string, tokens: Token[] = [], lastParagraphClipped?: boolean): never {
    if (this.#blockDepth >= DEEPEST_BLOCKS) return asWritten(src, tokens, 'paragraph') as never;
    const parts = this.#blockDepth === 0 ? cutIntoParts(src) : [src];
    this.#blockDepth += 1;
    try {
      for (const part of parts) super.blockTokens(part, tokens, lastParagraphClipped);
      return tokens as never;
    } finally {
      this.#blockDepth -= 1;
    }
  }

  override inlineTokens(src: string, tokens: Token[] = []): Token[] {
    if (this.#inlineDepth >= DEEPEST_INLINE) return asWritten(src, tokens, 'text');
    this.#inlineDepth += 1;
    try {
      for (const piece of pieces(src)) {
        if (piece.length > LONGEST_RUN) asWritten(piece, tokens, 'text');
        else super.inlineTokens(piece, tokens);
      }
      return tokens;
    } finally {
      this.#inlineDepth -= 1;
    }
  }
}

class BoundedTokenizer extends Tokenizer {
  /** Asked at every block, so a text that does not begin with a list must cost next to nothing. */
  override list(src: string): Tokens.List | undefined {
    if (!this.rules.block.list.test(src)) return undefined;
    return super.list(src.length > LONGEST_LIST ? src.slice(0, endOfItems(src)) : src);
  }

  /** The library reads what is in a quotation again for each line that has fewer marks: twice the time for each level. */
  override blockquote(src: string): Tokens.Blockquote | undefined {
    const raw = this.rules.block.blockquote.exec(src)?.[0].replace(/\n+$/, '');
    if (raw === undefined) return undefined;
    const text = raw.replace(/^ {0,3}>[ \t]?/gm, '');
    const { top } = this.lexer.state;
    this.lexer.state.top = true;
    const tokens = this.lexer.blockTokens(text, [], true);
    this.lexer.state.top = top;
    return { type: 'blockquote', raw, tokens, text };
  }

  /** Every row is filled up to the width of the first one: a few kB could ask for millions of cells. */
  override table(src: string): Tokens.Table | undefined {
    const [raw = '', header = ''] = this.rules.block.table.exec(src) ?? [];
    const columns = count(header, '|');
    if (columns > MOST_COLUMNS || columns * count(raw, '\n') > raw.length) return undefined;
    return super.table(src);
  }
}

function asWritten(src: string, tokens: Token[], type: 'paragraph' | 'text'): Token[] {
  const text = { type: 'text', raw: src, text: src, escaped: false } as const;
  if (src !== '') tokens.push(type === 'text' ? text : { type, raw: src, text: src, tokens: [text] });
  return tokens;
}

/** Cut at line ends. Only a single line can be longer than the longest run. */
function pieces(src: string): string[] {
  if (src.length <= LONGEST_RUN) return [src];
  const found: string[] = [];
  let start = 0;
  while (start < src.length) {
    const end = cutAfter(src, start);
    found.push(src.slice(start, end));
    start = end;
  }
  return found;
}

function cutAfter(src: string, start: number): number {
  if (src.length - start <= LONGEST_RUN) return src.length;
  const last = src.lastIndexOf('\n', start + LONGEST_RUN - 1);
  if (last >= start) return last + 1;
  const next = src.indexOf('\n', start);
  return next === -1 ? src.length : next + 1;
}

/** Where an item begins among the last lines that lie within the longest list; else after the last of them. */
function endOfItems(src: string): number {
  const last = src.lastIndexOf('\n', LONGEST_LIST);
  let line = last;
  for (let lines = 0; line > 0 && lines < LINES_TO_ITEM; lines++) {
    if (/[-*+\d]/.test(src.charAt(line + 1))) return line + 1;
    line = src.lastIndexOf('\n', line - 1);
  }
  return Math.max(last, src.indexOf('\n')) + 1 || src.length;
}

function count(text: string, character: string): number {
  let found = 0;
  for (let at = text.indexOf(character); at !== -1; at = text.indexOf(character, at + 1)) found += 1;
  return found;
}

/** A part ends at the first place that is certainly between two blocks, once it has this length, */
const ENOUGH = 2_000;
/** and at the next line end, wherever that is, once it has this one. */
const TOO_LONG = 12_000;

/**
 * Cuts a long text where blocks end, so that what reads it never sees much at once. Code keeps together; so does
 * everything else that is not longer than the limit.
 */
function cutIntoParts(text: string): string[] {
  if (text.length <= ENOUGH) return [text];
  const parts: string[] = [];
  let start = 0;
  let fence = '';
  for (let line = 0; line < text.length; ) {
    const end = endOfLine(text, line);
    const length = end - start;
    const head = text.slice(line, Math.min(end, line + 80));
    fence = fenceAfter(fence, head);
    if (fence === '' && length > ENOUGH && (length > TOO_LONG || isBetweenBlocks(text, head, end))) {
      parts.push(text.slice(start, end));
      start = end;
    }
    line = end;
  }
  parts.push(text.slice(start));
  return parts.filter((part) => part !== '');
}

function endOfLine(text: string, from: number): number {
  const at = text.indexOf('\n', from);
  return at === -1 ? text.length : at + 1;
}

/** The marks of the code block that is open after this line. */
function fenceAfter(open: string, line: string): string {
  const marks = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
  if (marks === undefined) return open;
  if (open === '') return marks;
  return marks.startsWith(open) && /^[ `~]*\n?$/.test(line) ? '' : open;
}

/** A blank line, and after it something that cannot belong to a list or to indented code before it. */
function isBetweenBlocks(text: string, line: string, end: number): boolean {
  return line.trim() === '' && /[^\s\-*+\d]/.test(text.charAt(end));
}

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
