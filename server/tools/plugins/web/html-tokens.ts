import { Tokenizer, type TokenizerCallbacks } from 'htmlparser2';

export type HtmlToken =
  | { kind: 'text'; text: string }
  | { kind: 'open'; name: string; attributes: ReadonlyMap<string, string> }
  | { kind: 'close'; name: string };

/**
 * The tags and texts of a page, entities decoded. Only the library's tokenizer is used: its parser keeps a stack of open
 * elements whose cost grows with the square of their depth.
 */
export function readTokens(html: string, take: (token: HtmlToken) => void): void {
  const tokenizer = new Tokenizer({ decodeEntities: true }, new TokenBuilder(html, take));
  tokenizer.write(html);
  tokenizer.end();
}

/** Control characters other than white space, and soft hyphens. */
const NOT_DRAWN = /(?![\t\n\r])\p{Cc}|\u00ad/gu;

class TokenBuilder implements TokenizerCallbacks {
  readonly #html: string;
  readonly #take: (token: HtmlToken) => void;
  #text: string[] = [];
  #tag = '';
  #attributes = new Map<string, string>();
  #attribute = '';
  #value: string[] = [];

  constructor(html: string, take: (token: HtmlToken) => void) {
    this.#html = html;
    this.#take = take;
  }

  ontext(start: number, end: number): void {
    this.#text.push(this.#html.slice(start, end));
  }

  ontextentity(code: number): void {
    this.#text.push(String.fromCodePoint(code));
  }

  onopentagname(start: number, end: number): void {
    this.#tag = this.#html.slice(start, end).toLowerCase();
    this.#attributes = new Map();
  }

  onattribname(start: number, end: number): void {
    this.#attribute = this.#html.slice(start, end).toLowerCase();
    this.#value = [];
  }

  onattribdata(start: number, end: number): void {
    this.#value.push(this.#html.slice(start, end));
  }

  onattribentity(code: number): void {
    this.#value.push(String.fromCodePoint(code));
  }

  /** Of two attributes with one name, browsers keep the first. */
  onattribend(): void {
    if (!this.#attributes.has(this.#attribute)) this.#attributes.set(this.#attribute, this.#value.join(''));
  }

  onopentagend(): void {
    this.#flushText();
    this.#take({ kind: 'open', name: this.#tag, attributes: this.#attributes });
  }

  onselfclosingtag(): void {
    this.onopentagend();
  }

  onclosetag(start: number, end: number): void {
    this.#flushText();
    this.#take({ kind: 'close', name: this.#html.slice(start, end).toLowerCase() });
  }

  oncdata(start: number, end: number, endOffset: number): void {
    this.ontext(start, end - endOffset);
  }

  onend(): void {
    this.#flushText();
  }

  oncomment(): void {}
  ondeclaration(): void {}
  onprocessinginstruction(): void {}

  #flushText(): void {
    if (this.#text.length === 0) return;
    this.#take({ kind: 'text', text: this.#text.join('').replace(NOT_DRAWN, '') });
    this.#text = [];
  }
}
