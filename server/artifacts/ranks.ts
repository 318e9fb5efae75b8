/**
 * Ranks put items in order: strings, compared by code unit, between any two of which there is always another. A rank is a
 * whole number and a fraction. The number's first character says how many digits follow (`a` one, `b` two; `Z` one of a
 * negative number, `Y` two), so that adding at either end keeps ranks short; the fraction never ends in 0.
 */

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const BASE = DIGITS.length;
const FIRST = 'a0';

/** Beyond this, the ranks of a list are made anew. */
export const LONGEST_RANK = 200;

/** Whether a text from elsewhere is a rank. */
export function isRank(text: string): boolean {
  const whole = wholeOf(text);
  const isComplete = /^[A-Za-z]/.test(text) && whole.length === 1 + wholeLength(text[0]!);
  const isOfDigits = text.length <= LONGEST_RANK && [...text.slice(1)].every((digit) => DIGITS.includes(digit));
  return isComplete && isOfDigits && !(text.length > whole.length && text.endsWith('0'));
}

/** As many ranks as are wanted, in order, between two others; null: there is none on that side. */
export function ranksBetween(before: string | null, after: string | null, count: number): string[] {
  if (count === 0) return [];
  if (before !== null && after !== null && before >= after) throw new Error('ranks are not in order');
  if (after === null) return chain(before, count, (last) => rankBetween(last, null));
  if (before === null) return chain(after, count, (last) => rankBetween(null, last)).reverse();
  const middle = rankBetween(before, after);
  const left = (count - 1) >> 1;
  return [...ranksBetween(before, middle, left), middle, ...ranksBetween(middle, after, count - 1 - left)];
}

function chain(from: string | null, count: number, next: (last: string | null) => string): string[] {
  const ranks: string[] = [];
  for (let last = from; ranks.length < count; ranks.push(last)) last = next(last);
  return ranks;
}

function rankBetween(before: string | null, after: string | null): string {
  if (before === null && after === null) return FIRST;
  if (before === null) return rankBefore(after!);
  const whole = wholeOf(before);
  const fraction = before.slice(whole.length);
  if (after === null) return increment(whole) ?? whole + fractionBetween(fraction, null);
  const nextWhole = wholeOf(after);
  if (whole === nextWhole) return whole + fractionBetween(fraction, after.slice(nextWhole.length));
  const next = increment(whole);
  return next !== null && next < after ? next : whole + fractionBetween(fraction, null);
}

function rankBefore(after: string): string {
  const whole = wholeOf(after);
  if (whole < after) return whole;
  return decrement(whole) ?? whole + fractionBetween('', after.slice(whole.length));
}

function wholeOf(rank: string): string {
  const head = rank.charCodeAt(0);
  const digits = head >= A ? head - A + 1 : Z - head + 1;
  return rank.slice(0, digits + 1);
}

const A = 'a'.charCodeAt(0);
const Z = 'Z'.charCodeAt(0);

/** The next whole number; null after the last one. */
function increment(whole: string): string | null {
  const digits = step(whole.slice(1), 1);
  if (digits !== null) return whole[0] + digits;
  if (whole[0] === 'Z') return FIRST;
  if (whole[0] === 'z') return null;
  return lowest(String.fromCharCode(whole.charCodeAt(0) + 1));
}

function decrement(whole: string): string | null {
  const digits = step(whole.slice(1), -1);
  if (digits !== null) return whole[0] + digits;
  if (whole[0] === 'a') return `Z${DIGITS.at(-1)}`;
  if (whole[0] === 'A') return null;
  return highest(String.fromCharCode(whole.charCodeAt(0) - 1));
}

function lowest(head: string): string {
  return head + '0'.repeat(wholeLength(head));
}

function highest(head: string): string {
  return head + DIGITS.at(-1)!.repeat(wholeLength(head));
}

function wholeLength(head: string): number {
  const code = head.charCodeAt(0);
  return code >= A ? code - A + 1 : Z - code + 1;
}

/** One up or down, with the carry; null when there is no such number of as many digits. */
function step(digits: string, by: 1 | -1): string | null {
  let carried = '';
  for (let index = digits.length - 1; index >= 0; index--) {
    const digit = DIGITS.indexOf(digits[index]!) + by;
    if (digit >= 0 && digit < BASE) return digits.slice(0, index) + DIGITS[digit] + carried;
    carried = (by > 0 ? DIGITS[0]! : DIGITS.at(-1)!) + carried;
  }
  return null;
}

/** The shortest digits behind the point between two; '' is zero, null is one. */
function fractionBetween(low: string, high: string | null): string {
  let shared = '';
  for (let index = 0; ; index++) {
    const from = index < low.length ? DIGITS.indexOf(low[index]!) : 0;
    const to = high === null ? BASE : index < high.length ? DIGITS.indexOf(high[index]!) : 0;
    if (to - from > 1) return shared + DIGITS[(from + to) >> 1];
    shared += DIGITS[from];
    // What follows is above `low` only: the digit before it is below that of `high` already.
    if (to - from === 1) return shared + fractionBetween(low.slice(index + 1), null);
  }
}
