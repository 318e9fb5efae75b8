import { createHash } from 'node:crypto';
import path from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, gzip, constants as zlib } from 'node:zlib';
import { bestEncoding, type Encoding } from '../encoding.ts';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.json': 'application/json',
  '.map': 'application/json',
  '.webmanifest': 'application/manifest+json',
  '.md': 'text/plain; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.webp': 'image/webp',
  '.woff2': 'font/woff2',
  '.wasm': 'application/wasm',
};
const COMPRESSIBLE = /^text\/|^image\/svg|json|wasm/;
const WORTH_COMPRESSING = 1000;

/** One file of the web app, kept in memory; compressed when it was built, or else when it is first asked for that way. */
export class WebFile {
  readonly type: string;
  readonly etag: string;
  readonly #bytes: Buffer;
  readonly #packed = new Map<Encoding, Promise<Buffer>>();

  constructor(name: string, bytes: Buffer, built: Partial<Record<Encoding, Buffer>> = {}) {
    this.type = TYPES[path.extname(name)] ?? 'application/octet-stream';
    // Weak: the same for every encoding.
    this.etag = `W/"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`;
    this.#bytes = bytes;
    for (const encoding of ['br', 'gzip'] as const)
      if (built[encoding]) this.#packed.set(encoding, Promise.resolve(built[encoding]));
  }

  /** The best encoding among those a browser takes. */
  encodingFor(acceptEncoding: string | undefined): Encoding {
    if (this.#bytes.length < WORTH_COMPRESSING || !COMPRESSIBLE.test(this.type)) return 'identity';
    return bestEncoding(acceptEncoding);
  }

  bytes(encoding: Encoding): Promise<Buffer> {
    const known = this.#packed.get(encoding);
    if (known) return known;
    const made = pack(this.#bytes, encoding);
    this.#packed.set(encoding, made);
    return made;
  }
}

/** Better than this takes a second of one core for a few per cent. */
const BROTLI = { params: { [zlib.BROTLI_PARAM_QUALITY]: 6 } };

function pack(bytes: Buffer, encoding: Encoding): Promise<Buffer> {
  switch (encoding) {
    case 'br':
      return promisify(brotliCompress)(bytes, BROTLI);
    case 'gzip':
      return promisify(gzip)(bytes);
    case 'identity':
      return Promise.resolve(bytes);
  }
}
