import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';

export interface FoundFile {
  /** Below the folder that was looked through. */
  readonly path: string;
  readonly bytes: number;
  readonly changedAt: number;
}

/** Of the folders of one program. */
const MAX_FILES = 50_000;

/** The newest first. Nothing when the folder is not there or cannot be read; links to folders are not followed. */
export async function filesBelow(folder: string, isWanted: (path: string) => boolean): Promise<FoundFile[]> {
  const names = await readdir(folder, { recursive: true, encoding: 'utf8' }).catch(() => []);
  const wanted = names.map((name) => name.replaceAll(path.sep, '/')).filter(isWanted);
  const files = await Promise.all(wanted.slice(0, MAX_FILES).map((name) => measure(folder, name)));
  return files.filter((file) => file !== null).sort((one, other) => other.changedAt - one.changedAt);
}

async function measure(folder: string, name: string): Promise<FoundFile | null> {
  const found = await stat(path.join(folder, name)).catch(() => null);
  return found?.isFile() ? { path: name, bytes: found.size, changedAt: found.mtimeMs } : null;
}
