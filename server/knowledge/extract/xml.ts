import { Tokenizer, type TokenizerCallbacks } from 'htmlparser2';
import { ExtractFailure } from './protocol.ts';

export interface XmlHandler {
  open(name: string, attributes: ReadonlyMap<string, string>): void;
  close(name: string): void;
  text(text: string): void;
}

/**
 * The elements and texts of an XML document. Entities are only those that every document has: one that declares its own
 * is refused.
 */
export function readXml(xml: string, handler: XmlHandler): void {
  const tokenizer = new Tokenizer({ xmlMode: true, decodeEntities: true }, new XmlEvents(xml, handler));
  tokenizer.write(xml);
  tokenizer.end();
}

class XmlEvents implements TokenizerCallbacks {
  readonly #xml: string;
  readonly #handler: XmlHandler;
  #name = '';
  #attributes = new Map<string, string>();
  #attribute = '';
  #value = '';

  constructor(xml: string, handler: XmlHandler) {
    this.#xml = xml;
    this.#handler = handler;
  }

  ontext(start: number, end: number): void {
    this.#handler.text(this.#xml.slice(start, end));
  }

  ontextentity(code: number): void {
    this.#handler.text(String.fromCodePoint(code));
  }

  onopentagname(start: number, end: number): void {
    this.#name = this.#xml.slice(start, end);
    this.#attributes = new Map();
  }

  onattribname(start: number, end: number): void {
    this.#attribute = this.#xml.slice(start, end);
    this.#value = '';
  }

  onattribdata(start: number, end: number): void {
    this.#value += this.#xml.slice(start, end);
  }

  onattribentity(code: number): void {
    this.#value += String.fromCodePoint(code);
  }

  onattribend(): void {
    this.#attributes.set(this.#attribute, this.#value);
  }

  onopentagend(): void {
    this.#handler.open(this.#name, this.#attributes);
  }

  onselfclosingtag(): void {
    this.#handler.open(this.#name, this.#attributes);
    this.#handler.close(this.#name);
  }

  onclosetag(start: number, end: number): void {
    this.#handler.close(this.#xml.slice(start, end));
  }

  ondeclaration(): void {
    throw new ExtractFailure('unreadable');
  }

  oncdata(start: number, end: number, endOffset: number): void {
    this.ontext(start, end - endOffset);
  }

  oncomment(): void {}
  onend(): void {}
  onprocessinginstruction(): void {}
}
