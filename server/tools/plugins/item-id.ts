import { randomInt } from 'node:crypto';

const DIGITS = '0123456789abcdefghjkmnpqrstvwxyz';
const TIME_LENGTH = 9;
/** After every id there is. */
export const LAST_ID = '~';

let last = 0;

/** Short enough for a model to repeat, and in the order in which they were made, also when the clock goes back. */
export function newItemId(now: number = Date.now()): string {
  last = Math.max(now, last + 1);
  return inDigits(last) + DIGITS[randomInt(DIGITS.length)];
}

function inDigits(time: number): string {
  let text = '';
  for (let rest = time; text.length < TIME_LENGTH; rest = Math.floor(rest / DIGITS.length))
    text = DIGITS[rest % DIGITS.length] + text;
  return text;
}
