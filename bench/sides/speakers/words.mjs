import { setTimeout as sleep } from 'node:timers/promises';

/** As in `bench/load/stamp.ts`, which nothing here can import: these programs are started by the servers. */
const MODULUS = 36 ** 5;

/** What a prompt asks for: so many tokens, so many milliseconds apart. */
export async function* tokensFor(prompt) {
  const [, n = '20', ms = '0'] = [...prompt.matchAll(/\[\[n=(\d+) ms=(\d+)\]\]/g)].at(-1) ?? [];
  for (let left = Number(n); left > 0; left--) {
    yield `~${(Date.now() % MODULUS).toString(36).padStart(5, '0')} `;
    if (ms !== '0') await sleep(Number(ms));
  }
}
