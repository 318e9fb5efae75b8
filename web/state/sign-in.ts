import type { ParleyClient } from '../../client/parley-client.ts';
import { keepPageKey } from './device-memory.ts';

let failure: Error | null = null;

/** A sign-in link carries a one-time code in its fragment, which reaches no server log; it is exchanged for a cookie and a key. */
export async function exchangeCode(client: ParleyClient): Promise<void> {
  const code = takeCodeFromAddress();
  if (!code) return;
  await signIn(client, code).catch((error: Error) => {
    failure = error;
  });
}

/** The one-time code in the fragment of the address; the address no longer holds it afterwards. */
export function takeCodeFromAddress(): string | null {
  const code = new URLSearchParams(location.hash.slice(1)).get('code');
  if (code) history.replaceState(null, '', location.pathname + location.search);
  return code;
}

export async function signIn(client: ParleyClient, code: string): Promise<void> {
  keepPageKey((await client.call('signIn', { body: { code } })).key);
}

/** Why the link that opened this page did not sign it in. */
export function signInFailure(): Error | null {
  return failure;
}

const CODE = /^[A-Za-z0-9_-]{8,200}$/;

/** The one-time code in whatever was pasted: a whole link, the end of one, or the code itself. Null: there is none. */
export function readCode(pasted: string): string | null {
  const words = pasted.trim();
  const fragment = words.includes('#') ? words.slice(words.indexOf('#') + 1) : words;
  const code = fragment.includes('=') ? new URLSearchParams(fragment).get('code') : fragment;
  return code !== null && CODE.test(code) ? code : null;
}
