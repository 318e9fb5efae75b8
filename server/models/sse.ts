import { ProviderFault } from './attempt.ts';

export type OnSseEvent = (data: string, event: string) => void;

/**
 * Splits decoded text into server-sent events, wherever the network cut it. Work per piece does not grow with what is
 * already waiting, so one huge event costs no more than many small ones.
 */
export class SseReader {
  readonly #limit: number;
  readonly #onEvent: OnSseEvent;
  /** The pieces of a line that has no end yet. */
  #pending: string[] = [];
  #size = 0;
  #data: string | undefined;
  #event = '';
  #endedInCr = false;
  #started = false;

  constructor(limit: number, onEvent: OnSseEvent) {
    this.#limit = limit;
    this.#onEvent = onEvent;
  }

  push(text: string): void {
    const piece = this.#unifyLineEnds(this.#started ? text : this.#withoutBom(text));
    let from = 0;
    for (let end = piece.indexOf('\n'); end !== -1; end = piece.indexOf('\n', from)) {
      this.#endLine(piece.slice(from, end));
      from = end + 1;
    }
    if (from < piece.length) this.#keep(from === 0 ? piece : piece.slice(from));
  }

  /** Servers forget the last blank line; what they meant is clear. */
  end(): void {
    if (this.#pending.length > 0) this.#endLine('');
    this.#dispatch();
  }

  #withoutBom(text: string): string {
    this.#started = text.length > 0;
    return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
  }

  /** JSON never holds a bare CR or LF, so each is always a line end; a CRLF may be cut in the middle. */
  #unifyLineEnds(text: string): string {
    if (!this.#endedInCr && !text.includes('\r')) return text;
    const rest = this.#endedInCr && text.startsWith('\n') ? text.slice(1) : text;
    if (text !== '') this.#endedInCr = text.endsWith('\r');
    return rest.replace(/\r\n?/g, '\n');
  }

  #keep(piece: string): void {
    this.#pending.push(piece);
    this.#count(piece.length);
  }

  #endLine(tail: string): void {
    this.#count(tail.length);
    this.#line(this.#pending.length === 0 ? tail : this.#pendingWith(tail));
  }

  #pendingWith(tail: string): string {
    this.#pending.push(tail);
    const line = this.#pending.join('');
    this.#pending = [];
    return line;
  }

  #line(line: string): void {
    if (line === '') this.#dispatch();
    else if (line.startsWith('data:')) this.#addData(fieldValue(line, 5));
    else if (line.startsWith('event:')) this.#event = fieldValue(line, 6);
  }

  #addData(value: string): void {
    this.#data = this.#data === undefined ? value : `${this.#data}\n${value}`;
  }

  #dispatch(): void {
    const data = this.#data;
    const event = this.#event;
    this.#data = undefined;
    this.#event = '';
    this.#size = 0;
    if (data !== undefined) this.#onEvent(data, event);
  }

  #count(length: number): void {
    this.#size += length;
    if (this.#size > this.#limit) throw tooLarge(this.#limit);
  }
}

export function tooLarge(limit: number): ProviderFault {
  return new ProviderFault(`sent one event of more than ${limit} bytes`, { code: 'model_too_large' });
}

function fieldValue(line: string, from: number): string {
  return line.charCodeAt(from) === 32 ? line.slice(from + 1) : line.slice(from);
}
