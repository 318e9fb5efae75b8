import { createHash } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, gzip, constants as zlib } from 'node:zlib';
import { bestEncoding, type Encoding } from '../encoding.ts';

type Files = ReadonlyMap<string, WebFile>;

const NOTHING: Files = new Map();
const INDEX = '/index.html';

/** The app, or the page for a reader who has only a link. */
export type PageFile = '/index.html' | '/shared.html';

/**
 * The built web app, read as a whole when it is first wanted: a path is only ever looked up among the files that were
 * found, so none leads out of the folder. A build that is made while the server runs is noticed with the next page;
 * files of the build before it stay, for tabs that are open.
 */
export class WebFiles {
  readonly #folder: string;
  #files: Files = NOTHING;
  #before: Files = NOTHING;
  #state: string | null = null;
  #loading: Promise<void> | undefined;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** What every page begins with; as long as nothing is built, a page that says how to build it. */
  async page(name: PageFile = INDEX): Promise<WebFile> {
    await this.#refresh();
    return this.#files.get(name) ?? UNBUILT.get(INDEX)!;
  }

  async find(name: string): Promise<WebFile | undefined> {
    const known = this.#files.get(name);
    if (known) return known;
    await this.#refresh();
    const found = this.#files.get(name) ?? this.#before.get(name);
    return found ?? (this.#state === null ? UNBUILT.get(name) : undefined);
  }

  /** One reading at a time, however many ask. */
  #refresh(): Promise<void> {
    this.#loading ??= this.#load().finally(() => {
      this.#loading = undefined;
    });
    return this.#loading;
  }

  async #load(): Promise<void> {
    const state = await stateOf(this.#folder);
    // While a build is being replaced there is nothing for a moment.
    if (state === null || state === this.#state) return;
    const files = await readAll(this.#folder).catch(() => NOTHING);
    if (!files.has(INDEX)) return;
    this.#before = this.#files;
    this.#files = files;
    this.#state = state;
  }
}

async function stateOf(folder: string): Promise<string | null> {
  const places = [path.join(folder, 'index.html'), path.join(folder, 'assets')];
  const [index, assets] = await Promise.all(places.map((place) => stat(place).catch(() => null)));
  return index?.isFile() ? [index.size, index.mtimeMs, index.ino, assets?.mtimeMs].join(' ') : null;
}

const PACKED = /\.(?:br|gz)$/;

function readIfThere(place: string): Promise<Buffer | null> {
  return readFile(place).catch(() => null);
}

async function readAll(folder: string): Promise<Files> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const places = entries.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name));
  const files = new Map<string, WebFile>();
  for (const place of places) {
    const name = `/${path.relative(folder, place).replaceAll(path.sep, '/')}`;
    // Hidden ones are notes of the build; those that end so are other forms of the file beside them.
    if (name.includes('/.') || PACKED.test(name)) continue;
    const [bytes, br, gzip] = await Promise.all([place, `${place}.br`, `${place}.gz`].map(readIfThere));
    if (bytes) files.set(name, new WebFile(name, bytes, { ...(br && { br }), ...(gzip && { gzip }) }));
  }
  return files;
}

const PAGE = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Parley</title><link rel="stylesheet" href="/unbuilt.css"><script type="module" src="/unbuilt.js"></script></head>
<body><main>
<h1>Parley</h1>
<p class="quiet">One conversation, many agents. Everyone sees who said what, and no accepted message is lost.</p>
<p id="state" role="status">Checking…</p>
<h2>The web app hasn't been built yet</h2>
<p>In the Parley folder:</p>
<pre>npm run build</pre>
<p>Then reload this page; you don't have to restart the server. <code>npm start</code> builds it automatically.</p>
<h2>In the meantime, use the terminal</h2>
<pre>npx parley agents
npx parley chat -a wisp/concierge -m "what's on today?"</pre>
<noscript><p>Signing in a browser needs JavaScript. The terminal doesn't.</p></noscript>
</main></body></html>
`;

const STYLE = `:root { color-scheme: light dark; --ink: #1b1d22; --quiet: #5c6370; --paper: #fbfbfa; --line: #e3e4e6; --mark: #b45309; }
@media (prefers-color-scheme: dark) { :root { --ink: #e8e9ec; --quiet: #9aa1ad; --paper: #141518; --line: #2b2d33; --mark: #f0a44b; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.6 system-ui, sans-serif; }
main { max-width: 42rem; margin: 0 auto; padding: 3rem 1.25rem; }
h1 { font-size: 1.75rem; margin: 0 0 .25rem; } h2 { font-size: 1.05rem; margin: 2rem 0 .5rem; }
p { margin: .5rem 0; } .quiet { color: var(--quiet); }
pre { margin: .5rem 0; padding: .75rem 1rem; border: 1px solid var(--line); border-radius: 8px; white-space: pre-wrap; overflow-wrap: anywhere; font-size: .875rem; }
#state { border-left: 3px solid var(--mark); padding-left: .75rem; }
`;

const SCRIPT = `const state = document.getElementById('state');
const code = new URLSearchParams(location.hash.slice(1)).get('code');
history.replaceState(null, '', location.pathname);
async function signIn() {
  const headers = { 'Content-Type': 'application/json' };
  const answer = await fetch('/api/sign-ins', { method: 'POST', headers, body: JSON.stringify({ code }) });
  const body = await answer.json();
  if (!answer.ok) return body.detail;
  localStorage.setItem('parley.page-key', body.key);
  return 'You are signed in on this browser.';
}
async function look() {
  const headers = { 'Parley-Page-Key': localStorage.getItem('parley.page-key') ?? '' };
  const answer = await fetch('/api/configuration', { headers });
  return answer.ok ? 'You are signed in on this browser.' : 'This browser is not signed in. Run "npx parley open" for a sign-in link.';
}
const said = (code ? signIn() : look()).catch(() => 'The server is unreachable.');
state.textContent = await said;
`;

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

/** What is served as long as the web app is not built: says how to build it, and signs a browser in all the same. */
const UNBUILT: ReadonlyMap<string, WebFile> = new Map(
  Object.entries({ '/index.html': PAGE, '/unbuilt.css': STYLE, '/unbuilt.js': SCRIPT }).map(([name, text]) => [
    name,
    new WebFile(name, Buffer.from(text)),
  ]),
);
