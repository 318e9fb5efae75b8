import { randomUUID } from 'node:crypto';
import { constants, existsSync, type Stats } from 'node:fs';
import { type FileHandle, lstat, mkdir, open, readdir, realpath, rename, rm, rmdir, unlink } from 'node:fs/promises';
import path from 'node:path';
import { ToolFailure } from '../../tool.ts';

const { O_APPEND, O_CREAT, O_DIRECTORY, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_WRONLY } = constants;
const MOST_NAMES = 64;

export interface FolderEntry {
  readonly name: string;
  readonly kind: 'file' | 'folder' | 'link' | 'other';
  readonly size: number;
}

/**
 * A folder that nothing leads out of: no path, no link, and no exchange of one for the other while it is being used.
 * Links inside it are followed as long as they stay inside.
 */
export class Workspace {
  readonly #root: string;

  /** `root` is a real path. */
  constructor(root: string) {
    this.#root = root;
  }

  get root(): string {
    return this.#root;
  }

  async openFile(place: string): Promise<FileHandle> {
    return this.#use(place, await this.#follow(place), false, async (folder, name) => {
      return asFile(place, await open(folder.at(name), O_RDONLY | O_NOFOLLOW | O_NONBLOCK));
    });
  }

  /** Either the whole new content is there afterwards, or the old. Makes the folders that are missing. */
  async replaceFile(place: string, content: string | Uint8Array): Promise<void> {
    return this.#use(place, await this.#follow(place), true, async (folder, name) => {
      const before = await lstat(folder.at(name)).catch(() => undefined);
      if (before && !before.isFile()) throw notAFile(place);
      await replace(folder, name, content, before ? before.mode & 0o777 : 0o644);
    });
  }

  async appendToFile(place: string, content: string): Promise<void> {
    return this.#use(place, await this.#follow(place), true, async (folder, name) => {
      const flags = O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK;
      const file = await asFile(place, await open(folder.at(name), flags, 0o644));
      await file.writeFile(content).finally(() => file.close());
    });
  }

  /** By name, and no more than so many. */
  async list(place: string, most: number): Promise<FolderEntry[]> {
    const folder = await Folder.open(this.#root, await this.#follow(place)).catch((error) => explain(place, error));
    try {
      const names = (await readdir(folder.at())).sort().slice(0, most);
      return await Promise.all(names.map((name) => describeEntry(folder, name)));
    } finally {
      await folder.close();
    }
  }

  /** A file, a link (not what it points to) or an empty folder. */
  async remove(place: string): Promise<void> {
    return this.#use(place, await this.#followParent(place), false, async (folder, name) => {
      const found = await lstat(folder.at(name));
      await (found.isDirectory() ? rmdir(folder.at(name)) : unlink(folder.at(name)));
    });
  }

  /** Over nothing that is already there. */
  async move(from: string, to: string): Promise<void> {
    const [source, target] = [await this.#followParent(from), await this.#followParent(to)];
    await this.#use(to, target, true, (toFolder, newName) =>
      this.#use(from, source, false, async (fromFolder, oldName) => {
        await lstat(fromFolder.at(oldName));
        if (await exists(toFolder.at(newName))) throw new ToolFailure(`${to} already exists.`, 'exists');
        await rename(fromFolder.at(oldName), toFolder.at(newName));
      }),
    );
  }

  /** Names from the root to where a place really is. What is not there yet is added to what is. */
  async #follow(place: string): Promise<string[]> {
    const names = this.#namesOf(place);
    const missing: string[] = [];
    for (;;) {
      const real = await realpath(path.join(this.#root, ...names)).catch(missingAs(place));
      if (real !== undefined) return [...this.#inside(place, real), ...missing];
      const last = names.pop();
      if (last === undefined) throw new ToolFailure('The workspace no longer exists.');
      missing.unshift(last);
    }
  }

  /** The same without following the last name, which is about to be removed or moved itself. */
  async #followParent(place: string): Promise<string[]> {
    const names = this.#namesOf(place);
    const last = names.pop();
    if (last === undefined)
      throw new ToolFailure("The workspace folder itself can't be moved or deleted.", 'not_allowed');
    return [...(await this.#follow(names.join('/'))), last];
  }

  #namesOf(place: string): string[] {
    if (place.includes('\0')) throw outside(place);
    const relative = path.isAbsolute(place) ? path.relative(this.#root, place) : path.normalize(place);
    const names = relative.split(path.sep).filter((name) => name !== '' && name !== '.');
    if (names.includes('..')) throw outside(place);
    if (names.length > MOST_NAMES) throw new ToolFailure(`${place} is nested too deeply.`);
    return names;
  }

  #inside(place: string, real: string): string[] {
    const relative = path.relative(this.#root, real);
    if (relative === '..' || relative.startsWith(`..${path.sep}`) || path.isAbsolute(relative)) throw outside(place);
    return relative.split(path.sep).filter(Boolean);
  }

  async #use<T>(
    place: string,
    names: readonly string[],
    create: boolean,
    use: (folder: Folder, name: string) => Promise<T>,
  ): Promise<T> {
    const name = names.at(-1);
    if (name === undefined) throw notAFile(place);
    const folder = await Folder.open(this.#root, names.slice(0, -1), create).catch((error) => explain(place, error));
    try {
      return await use(folder, name);
    } catch (error) {
      return explain(place, error);
    } finally {
      await folder.close();
    }
  }
}

async function replace(folder: Folder, name: string, content: string | Uint8Array, mode: number): Promise<void> {
  const draft = folder.at(`.parley-${randomUUID()}`);
  try {
    const file = await open(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode);
    await file.writeFile(content).finally(() => file.close());
    await rename(draft, folder.at(name));
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

/** Opened without waiting, because a pipe would wait for its other end for ever. */
async function asFile(place: string, file: FileHandle): Promise<FileHandle> {
  const { nlink } = await file.stat().then((found) => (found.isFile() ? found : { nlink: 0 }));
  if (nlink === 1) return file;
  await file.close();
  // A hard link: its other name may lie outside, and nothing tells where.
  throw nlink > 1
    ? new ToolFailure(`${place} is a hard link, which is not allowed.`, 'file_unusable')
    : notAFile(place);
}

async function describeEntry(folder: Folder, name: string): Promise<FolderEntry> {
  const found = await lstat(folder.at(name)).catch(() => undefined);
  return { name, kind: found ? kindOf(found) : 'other', size: found?.size ?? 0 };
}

function kindOf(found: Stats): FolderEntry['kind'] {
  if (found.isFile()) return 'file';
  if (found.isDirectory()) return 'folder';
  return found.isSymbolicLink() ? 'link' : 'other';
}

async function exists(place: string): Promise<boolean> {
  return lstat(place).then(
    () => true,
    () => false,
  );
}

function missingAs(place: string): (error: NodeJS.ErrnoException) => undefined {
  return (error) => (error.code === 'ENOENT' ? undefined : explain(place, error));
}

const WORDS: Record<string, string> = {
  ENOTDIR: 'is not a folder, or its path contains something that is not a folder',
  EISDIR: 'is a folder',
  ELOOP: 'is a symbolic link, which is not allowed',
  EACCES: "can't be accessed",
  EPERM: "can't be accessed",
  ENOTEMPTY: 'is not empty',
  ENAMETOOLONG: 'has a name that is too long',
  ENXIO: 'is not a file',
  EINVAL: "can't be moved into itself",
  EXDEV: 'is on another disk',
  EROFS: 'is on a read-only disk',
  EDQUOT: "can't be written: the disk is full",
  ENOSPC: "can't be written: the disk is full",
};

/** In words for the agent, and without the path that the error carries. */
function explain(place: string, error: unknown): never {
  const { code = '' } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT') throw new ToolFailure(`File not found: ${place || '.'}.`, 'file_not_found');
  const words = WORDS[code];
  if (words === undefined) throw error;
  throw new ToolFailure(`${place || '.'} ${words}.`, 'file_unusable');
}

function outside(place: string): ToolFailure {
  return new ToolFailure(`${place.replaceAll('\0', '')} is outside the workspace.`, 'outside_workspace');
}

function notAFile(place: string): ToolFailure {
  return new ToolFailure(`${place || '.'} is not a file.`, 'file_unusable');
}

const HAS_OPEN_FOLDERS = existsSync('/proc/self/fd');

/**
 * A folder that is held open, so that it stays the one that was checked whatever happens to its path. Names in it are
 * reached through the open folder where the system allows that, else by a path without links.
 */
class Folder {
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
