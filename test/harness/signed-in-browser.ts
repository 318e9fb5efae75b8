import type { SignedIn, SignInLink } from '../../contract/access.ts';
import { PAGE_KEY_HEADER } from '../../contract/page-key.ts';
import type { Parley } from './parley.ts';

export interface SignedInBrowser {
  id: string;
  /** `name=value`. */
  cookie: string;
  key: string;
  /** What the browser sends with each request of the page. */
  headers: Record<string, string>;
}

/** A sign-in as a browser has it, for requests that are made without one. */
export async function signInBrowser(parley: Parley, userAgent = 'test'): Promise<SignedInBrowser> {
  const { url } = await parley.ok<SignInLink>('POST', '/api/sign-in-links');
  const response = await exchange(parley, new URL(url).hash.replace('#code=', ''), userAgent);
  if (response.status !== 201) throw new Error(`not signed in: ${response.status}`);
  const { id, key } = (await response.json()) as SignedIn;
  const cookie = response.headers.get('set-cookie')!.split(';')[0]!;
  return { id, cookie, key, headers: { Cookie: cookie, [PAGE_KEY_HEADER]: key, 'Sec-Fetch-Site': 'same-origin' } };
}

export function exchange(parley: Parley, code: string, userAgent = 'test'): Promise<Response> {
  const headers = { 'Content-Type': 'application/json', 'User-Agent': userAgent };
  return fetch(`${parley.url}/api/sign-ins`, { method: 'POST', headers, body: JSON.stringify({ code }) });
}
