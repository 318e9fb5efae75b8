import { randomBytes } from 'node:crypto';
import { lstat, mkdir, open, readFile, realpath, rename, rm, rmdir } from 'node:fs/promises';
import { basename, dirname, join, sep } from 'node:path';
import { AppError } from '../../../contract/errors.ts';
import { say } from '../../../contract/texts.ts';
import { AGENTS_FOLDER, errorCode, MAIN_FILE } from './home-files.ts';

/** One file to change: its text before and after; `null` is absence. */
export interface Edit {
  readonly source: string;
  readonly before: string | null;
  readonly after: string | null;
}

/** Replaces a file so that a reader or a crash finds the old text or the new one. Refuses when it changed meanwhile. */
export async function writeEdit(home: string, edit: Edit): Promise<void> {
  try {
    const path = await realPath(home, edit.source);
    if ((await textAt(path)) !== edit.before) throw changedMeanwhile(edit.source);
    if (edit.after === null) await remove(home, path);
    else await replace(path, edit.after);
  } catch (error) {
    throw error instanceof AppError ? error : refusal(error, edit.source);
  }
}

/** Writes a file that must not be there yet. Tells whether it did. */
export async function writeNew(home: string, source: string, text: string): Promise<boolean> {
  const path = await realPath(home, source);
  if ((await textAt(path)) !== null) return false;
  await replace(path, text);
  return true;
}

/** Where a source really lies. Below the agents folder there are only plain folders, made one by one as needed. */
async function realPath(home: string, source: string): Promise<string> {
  if (source === MAIN_FILE) return await realpath(join(home, source)).catch(() => join(home, source));
  await mkdir(join(home, AGENTS_FOLDER), { recursive: true, mode: 0o700 });
  let folder = await realpath(join(home, AGENTS_FOLDER));
  const segments = source.split('/').slice(1);
  for (const segment of segments) {
    if (segment === '' || segment === '.' || segment === '..') throw outside(source);
  }
  for (const segment of segments.slice(0, -1)) folder = await enterFolder(join(folder, segment), source);
  return join(folder, segments.at(-1)!);
}

async function enterFolder(folder: string, source: string): Promise<string> {
  await mkdir(folder, { mode: 0o700 }).catch((error) => {
    if (errorCode(error) !== 'EEXIST') throw error;
  });
  if (!(await lstat(folder)).isDirectory()) throw outside(source);
  return folder;
}

function outside(source: string): AppError {
  return new AppError('agent_not_writable', say('agent_not_writable.path', { file: source }));
}

async function textAt(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null;
    throw error;
  }
}

async function replace(path: string, text: string): Promise<void> {
  const temporary = join(dirname(path), `.${basename(path)}.${randomBytes(6).toString('hex')}.tmp`);
  try {
    await writeDurably(temporary, text);
    await rename(temporary, path);
    await syncFolder(dirname(path));
  } finally {
    await rm(temporary, { force: true });
  }
}

async function writeDurably(path: string, text: string): Promise<void> {
  await using file = await open(path, 'wx', 0o600);
  await file.writeFile(text);
  await file.sync();
}

async function syncFolder(folder: string): Promise<void> {
  // Windows cannot open folders, and needs no such call.
  if (process.platform === 'win32') return;
  await using handle = await open(folder);
  await handle.sync();
}

async function remove(home: string, path: string): Promise<void> {
  await rm(path);
  await syncFolder(dirname(path));
  await removeEmptyFolders(await realpath(join(home, AGENTS_FOLDER)), dirname(path));
}

async function removeEmptyFolders(root: string, folder: string): Promise<void> {
  if (!folder.startsWith(root + sep)) return;
  const removed = await rmdir(folder).then(
    () => true,
    () => false, // It holds something else.
  );
  if (removed) await removeEmptyFolders(root, dirname(folder));
}

function changedMeanwhile(source: string): AppError {
  return new AppError('agent_version_stale', say('agent_version_stale.file', { file: source }));
}

function refusal(error: unknown, source: string): AppError {
  const code = errorCode(error);
  if (code === 'ENOSPC' || code === 'EDQUOT') return new AppError('storage_full', say('storage_full.disk'));
  return new AppError('agent_not_writable', say('agent_not_writable', { file: source, reason: code }));
}
