/** What a browser does with a push message. */
declare module 'http_ece' {
  import type { ECDH } from 'node:crypto';

  interface Key {
    version: string;
    privateKey: ECDH;
    authSecret: string;
  }
  const ece: { decrypt(body: Buffer, key: Key): Buffer };
  export default ece;
}
