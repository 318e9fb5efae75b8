import { createHmac } from 'node:crypto';

/**
 * Shows that a server knows the token without showing the token. The proof names the host and port that the client
 * addressed, so a proof that was fetched from a server on another port does not count. Not for browsers.
 */
export function serverProof(token: string, authority: string, nonce: string): string {
  return createHmac('sha256', token)
    .update(`parley server proof\n${authority.toLowerCase()}\n${nonce}`)
    .digest('base64url');
}
