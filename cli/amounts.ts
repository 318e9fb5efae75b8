import type { Usage } from '../contract/turns.ts';

/** From one moment to another, or to now while it has not come. */
export function elapsed(from: string | null, to: string | null, now = Date.now()): number | null {
  return from === null ? null : (to === null ? now : Date.parse(to)) - Date.parse(from);
}

/** `812`, `12.3k`, `4.5M`. */
export function count(amount: number): string {
  if (amount < 1000) return `${amount}`;
  return amount < 999_950 ? `${trimmed(amount / 1000)}k` : `${trimmed(amount / 1_000_000)}M`;
}

function trimmed(amount: number): string {
  return amount.toFixed(1).replace(/\.0$/, '');
}

/** In the currency of the configured prices. Small amounts keep the digits that say something. */
export function cost(amount: number): string {
  return amount === 0 || amount >= 0.01 ? amount.toFixed(2) : amount.toPrecision(2);
}

export function usageLine({ inputTokens, outputTokens, cost: spent }: Usage): string {
  const tokens = `${count(inputTokens + outputTokens)} tokens`;
  return spent === undefined ? tokens : `${tokens}, cost ${cost(spent)}`;
}
