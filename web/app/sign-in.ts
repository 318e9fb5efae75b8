import type { ParleyClient } from '../../client/parley-client.ts';

/** A sign-in link carries a one-time code in its fragment, which reaches no server log; it is exchanged for a cookie. */
export async function exchangeCode(client: ParleyClient): Promise<void> {
  const code = new URLSearchParams(location.hash.slice(1)).get('code');
  if (!code) return;
  history.replaceState(null, '', location.pathname + location.search);
  await client.signIn(code).catch(() => undefined);
}
