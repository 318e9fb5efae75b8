import { constants, existsSync } from 'node:fs';
import { type FileHandle, mkdir, open } from 'node:fs/promises';
import path from 'node:path';

const { O_DIRECTORY, O_NOFOLLOW, O_RDONLY } = constants;
const HAS_OPEN_FOLDERS = existsSync('/proc/self/fd');

/**
 * A folder that is held open, so that it stays the one that was checked whatever happens to its path. Names in it are
 * reached through the open folder where the system allows that, else by a path without links.
 */
export class Folder {
  readonly #handle: FileHandle;
  readonly #path: string;

  private constructor(handle: FileHandle, place: string) {
    this.#handle = handle;
    this.#path = place;
  }

  /** From a root downwards, one name at a time. A link on the way is an error (ELOOP or ENOTDIR). */
  static async open(root: string, names: readonly string[], create = false): Promise<Folder> {
    let folder = await Folder.#openOne(root, root, 0);
    for (const name of names) {
      const parent = folder;
      folder = await parent.#enter(name, create).finally(() => parent.close());
    }
    return folder;
  }

  /** A path to a name in this folder; without one, to the folder itself. */
  at(name = '.'): string {
    return HAS_OPEN_FOLDERS ? `/proc/self/fd/${this.#handle.fd}/${name}` : path.join(this.#path, name);
  }

  async close(): Promise<void> {
    await this.#handle.close();
  }

  async #enter(name: string, create: boolean): Promise<Folder> {
    if (create) await mkdir(this.at(name), { mode: 0o700 }).catch(ignoreExisting);
    return Folder.#openOne(this.at(name), path.join(this.#path, name), O_NOFOLLOW);
  }

  static async #openOne(through: string, place: string, flags: number): Promise<Folder> {
    return new Folder(await open(through, O_RDONLY | O_DIRECTORY | flags), place);
  }
}

function ignoreExisting(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error;
}
