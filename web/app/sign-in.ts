import type { ParleyClient } from '../../client/parley-client.ts';

let failure: Error | null = null;

/** A sign-in link carries a one-time code in its fragment, which reaches no server log; it is exchanged for a cookie. */
export async function exchangeCode(client: ParleyClient): Promise<void> {
  const code = new URLSearchParams(location.hash.slice(1)).get('code');
  if (!code) return;
  history.replaceState(null, '', location.pathname + location.search);
  await client.signIn(code).catch((error: Error) => {
    failure = error;
  });
}

/** Why the link that opened this page did not sign it in. */
export function signInFailure(): Error | null {
  return failure;
}
