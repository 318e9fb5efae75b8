import type { Usage } from '../contract/turns.ts';

/** `12 ms`, `3.4 s`, `2 min 5 s`, `1 h 3 min`. */
export function duration(ms: number): string {
  if (ms < 1000) return `${Math.max(0, Math.round(ms))} ms`;
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return joined([minutes, 'min'], [seconds % 60, 's']);
  return joined([Math.floor(minutes / 60), 'h'], [minutes % 60, 'min']);
}

function joined(large: [number, string], small: [number, string]): string {
  return small[0] === 0 ? large.join(' ') : `${large.join(' ')} ${small.join(' ')}`;
}

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
