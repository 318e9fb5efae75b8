import { Tokenizer, type TokenizerCallbacks } from 'htmlparser2';
import { PlainText } from './plain-text.ts';

export interface ReadablePage {
  readonly title: string;
  readonly text: string;
}

const LEAST_MAIN = 200;

/** What a person would read of a page, as plain text with a little Markdown. */
export function readPage(html: string, url: string): ReadablePage {
  const reader = new PageReader(url);
  readTokens(html, (token) => reader.take(token));
  return reader.page();
}

const SKIPPED = new Set(
  'script style noscript template svg math canvas iframe object embed audio video map select button nav dialog head'.split(
    ' ',
  ),
);
const VOID = new Set('area base br col embed hr img input link meta source track wbr'.split(' '));
const BLOCKS = new Set(
  'address article aside blockquote dd details div dl dt fieldset figcaption figure footer form header main ol p section summary table tbody thead ul'.split(
    ' ',
  ),
);

class PageReader {
  readonly #url: string;
  readonly #text = new PlainText();
  #link: { from: number; target: string | undefined } | undefined;
  readonly #lists: number[] = [];
  /** What is being left out: until the element that began it ends. */
  #skipped: { name: string; depth: number } | undefined;
  #isTitle = false;
  #title = '';
  #main: { from: number; to: number } | undefined;

  constructor(url: string) {
    this.#url = url;
  }

  take(token: HtmlToken): void {
    if (token.kind === 'text') this.#takeText(token.text);
    else if (token.kind === 'open') this.#takeOpen(token.name, token.attributes);
    else this.#takeClose(token.name);
  }

  page(): ReadablePage {
    const main = this.#main && this.#text.between(this.#main.from, this.#main.to);
    const text = main && main.length >= LEAST_MAIN ? main : this.#text.between(0, this.#text.length);
    return { title: this.#title.replace(/\s+/g, ' ').trim(), text };
  }

  #takeText(text: string): void {
    if (this.#isTitle) this.#title ||= text;
    else if (!this.#skipped) this.#text.say(text);
  }

  #takeOpen(name: string, attributes: ReadonlyMap<string, string>): void {
    if (name === 'title') this.#isTitle = this.#skipped?.name !== 'svg';
    if (name === 'body' && this.#skipped?.name === 'head') this.#skipped = undefined;
    if (this.#skipped) {
      if (name === this.#skipped.name) this.#skipped.depth += 1;
    } else if (isLeftOut(name, attributes)) {
      if (!VOID.has(name)) this.#skipped = { name, depth: 1 };
    } else this.#begin(name, attributes);
  }

  #takeClose(name: string): void {
    if (name === 'title') this.#isTitle = false;
    if (!this.#skipped) this.#end(name);
    else if (name === this.#skipped.name && --this.#skipped.depth === 0) this.#skipped = undefined;
  }

  #begin(name: string, attributes: ReadonlyMap<string, string>): void {
    if (BLOCKS.has(name)) this.#text.paragraph();
    if (name === 'main') this.#main ??= { from: this.#text.length, to: Number.POSITIVE_INFINITY };
    if (/^h[1-6]$/.test(name)) this.#text.paragraph(`${'#'.repeat(Number(name[1]))} `);
    else if (name === 'ul') this.#lists.push(0);
    else if (name === 'ol') this.#lists.push(1);
    else if (name === 'li') this.#beginItem();
    else if (name === 'br' || name === 'tr') this.#text.line();
    else if (name === 'td' || name === 'th') this.#text.cell();
    else if (name === 'hr') this.#text.rule();
    else if (name === 'pre') this.#text.beginCode();
    else if (name === 'img') this.#image(attributes.get('alt'));
    else if (name === 'a') this.#beginLink(attributes.get('href'));
  }

  #end(name: string): void {
    if (name === 'main' && this.#main) this.#main.to = Math.min(this.#main.to, this.#text.length);
    if (BLOCKS.has(name) || /^h[1-6]$/.test(name)) this.#text.paragraph();
    if (name === 'ul' || name === 'ol') this.#lists.pop();
    else if (name === 'pre') this.#text.endCode();
    else if (name === 'a') this.#endLink();
  }

  #beginItem(): void {
    const depth = Math.max(this.#lists.length - 1, 0);
    const number = this.#lists[depth] ?? 0;
    if (number > 0) this.#lists[depth] = number + 1;
    this.#text.line(`${'  '.repeat(Math.min(depth, 8))}${number > 0 ? `${number}.` : '-'} `);
  }

  #image(alt: string | undefined): void {
    const words = alt?.replace(/\s+/g, ' ').trim();
    if (words) this.#text.say(` [image: ${words.slice(0, 200)}] `);
  }

  /** One ends where the next begins. */
  #beginLink(href: string | undefined): void {
    this.#endLink();
    this.#link = { from: this.#text.length, target: this.#targetOf(href) };
  }

  #endLink(): void {
    if (this.#link?.target !== undefined) this.#text.link(this.#link.from, this.#link.target);
    this.#link = undefined;
  }

  /** Nothing but a web address elsewhere is worth telling. */
  #targetOf(href: string | undefined): string | undefined {
    if (href === undefined || href.startsWith('#')) return undefined;
    const url = URL.parse(href, this.#url);
    return url && /^(?:https?|mailto):$/.test(url.protocol) && url.href.length <= 2000 ? url.href : undefined;
  }
}

/** Also what a person would not see: a page can say something there that is meant for models alone. */
function isLeftOut(name: string, attributes: ReadonlyMap<string, string>): boolean {
  if (SKIPPED.has(name) || attributes.has('hidden') || attributes.get('aria-hidden') === 'true') return true;
  return /display\s*:\s*none|visibility\s*:\s*hidden/i.test(attributes.get('style') ?? '');
}

type HtmlToken =
  | { kind: 'text'; text: string }
  | { kind: 'open'; name: string; attributes: ReadonlyMap<string, string> }
  | { kind: 'close'; name: string };

/**
 * The tags and texts of a page, entities decoded. Only the library's tokenizer is used: its parser keeps a stack of open
 * elements whose cost grows with the square of their depth.
 */
function readTokens(html: string, take: (token: HtmlToken) => void): void {
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
