import { ageOf, readStamp, stampNow } from './stamp.ts';

const LONGEST_MS = 20_000;

/** How many tokens arrived and how late, over all connections of one measurement. */
export class Tally {
  readonly #lags = new Uint32Array(LONGEST_MS + 1);
  total = 0;
  /** Since the window was opened. */
  tokens = 0;
  settled = 0;
  errors = 0;
  #isOpen = false;

  openWindow(): void {
    this.#lags.fill(0);
    this.tokens = 0;
    this.#isOpen = true;
  }

  closeWindow(): void {
    this.#isOpen = false;
  }

  add(stamp: number, now: number): void {
    this.total += 1;
    if (!this.#isOpen) return;
    this.tokens += 1;
    const lag = Math.min(LONGEST_MS, ageOf(stamp, now));
    this.#lags[lag] = this.#lags[lag]! + 1;
  }

  lag(share: number): number {
    let left = this.tokens * share;
    for (const [ms, count] of this.#lags.entries()) {
      left -= count;
      if (left <= 0) return ms;
    }
    return LONGEST_MS;
  }
}

const E = 101;
const D = 100;
const H = 72;
const ZERO = 48;

/**
 * Reads tokens out of the bytes of an event stream, whoever sent it: lines that are not frames, such as the sizes of HTTP
 * chunks, are passed over. Nothing is parsed, so that the reader is never what limits a measurement.
 */
export class TokenReader {
  readonly #tally: Tally;
  #rest = '';
  #counts = true;
  #isEnding = false;
  #isCall = false;
  status = 0;
  /** Of this answer. */
  tokens = 0;
  /** Tool calls that were carried out without an error, as far as the server tells. */
  calls = 0;
  ended = false;
  firstAt = 0;

  constructor(tally: Tally) {
    this.#tally = tally;
  }

  feed(bytes: Buffer): void {
    const text = this.#rest + bytes.toString('latin1');
    const now = stampNow();
    let from = 0;
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', from)) {
      this.#line(text, from, end, now);
      from = end + 1;
    }
    this.#rest = from === text.length ? '' : text.slice(from);
  }

  #line(text: string, from: number, end: number, now: number): void {
    const first = text.charCodeAt(from);
    if (end === from) this.#reset();
    else if (first === D && text.startsWith('data: ', from)) this.#data(text, from, end, now);
    else if (first === E && text.startsWith('event: ', from)) this.#event(text, from);
    else if (first === H && text.startsWith('HTTP/1.1 ', from)) this.status = Number(text.slice(from + 9, from + 12));
    else if (first === ZERO && end === from + 2) this.ended = true;
  }

  #reset(): void {
    this.#counts = true;
    this.#isEnding = false;
    this.#isCall = false;
  }

  /** Durable events repeat what the deltas said; only deltas count. */
  #event(text: string, from: number): void {
    this.#counts = text.startsWith('delta', from + 7);
    this.#isEnding = text.startsWith('turn.settled', from + 7);
    this.#isCall = text.startsWith('tool.ended', from + 7);
  }

  #data(text: string, from: number, end: number, now: number): void {
    if (this.#isEnding) this.#settle(text.slice(from, end));
    if (this.#isCall && text.slice(from, end).includes('"state":"complete"')) this.calls += 1;
    if (!this.#counts) return;
    for (let at = text.indexOf('~', from); at !== -1 && at < end; at = text.indexOf('~', at + 6)) {
      if (this.tokens++ === 0) this.firstAt = performance.now();
      this.#tally.add(readStamp(text, at), now);
    }
  }

  #settle(data: string): void {
    this.#tally.settled += 1;
    if (!data.includes('"state":"complete"')) this.#tally.errors += 1;
  }
}
