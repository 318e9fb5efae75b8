import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { UNBUILT } from './unbuilt-page.ts';
import { WebFile } from './web-file.ts';

type Files = ReadonlyMap<string, WebFile>;

const NOTHING: Files = new Map();
const INDEX = '/index.html';

/** The app, or the page for whoever has nothing but a link. */
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
