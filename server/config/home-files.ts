import { randomBytes } from 'node:crypto';
import type { Dirent } from 'node:fs';
import { lstat, mkdir, open, readdir, readFile, realpath, rename, rm, rmdir, stat } from 'node:fs/promises';
import { basename, dirname, join, sep } from 'node:path';
import { AppError } from '../../contract/errors.ts';
import { say } from '../../contract/texts.ts';
import { parseJson } from './json.ts';

export const MAIN_FILE = 'parley.json';
export const AGENTS_FOLDER = 'agents';

const MAX_FILE_BYTES = 4_000_000;
const MAX_FOLDER_DEPTH = 64;

/** One file of the configuration. `source` is its path relative to the data folder, always with `/`. */
export interface SourceFile {
  readonly source: string;
  readonly text: string;
  readonly json: unknown;
}

/** A file of an agent that cannot be read or is no JSON. */
export interface BrokenFile {
  readonly source: string;
  readonly text: string;
  readonly issues: readonly string[];
}

export interface HomeFiles {
  readonly main: SourceFile | null;
  readonly agentFiles: readonly SourceFile[];
  readonly brokenFiles: readonly BrokenFile[];
  /** Of `parley.json` and of the agents folder as a whole. */
  readonly issues: readonly string[];
}

export interface Listing {
  sources: string[];
  /** Every folder that can hold agents, absolute, the agents folder itself first. */
  folders: string[];
  broken: BrokenFile[];
  issues: string[];
}

/** Reads everything, in a stable order. What cannot be read is an issue, never an exception. */
export async function readHome(home: string): Promise<HomeFiles> {
  const listing = await listAgentFiles(home);
  const main = await readSource(home, MAIN_FILE);
  const read = await Promise.all(
    listing.sources.map(async (source) => ({ source, ...(await readSource(home, source)) })),
  );
  const broken = read.filter(({ issues }) => issues.length > 0);
  return {
    main: main.file,
    agentFiles: read.flatMap(({ file, issues }) => (file && issues.length === 0 ? file : [])),
    brokenFiles: [
      ...listing.broken,
      ...broken.map(({ source, file, issues }) => ({ source, text: file?.text ?? '', issues })),
    ].sort(bySource),
    issues: [...main.issues, ...listing.issues],
  };
}

export function bySource(a: { source: string }, b: { source: string }): number {
  return a.source < b.source ? -1 : 1;
}

/** Finds `agents/**.json`. Links may not lead out of the folder: a definition must not read what lies elsewhere. */
export async function listAgentFiles(home: string): Promise<Listing> {
  const listing: Listing = { sources: [], folders: [], broken: [], issues: [] };
  try {
    const root = await realpath(join(home, AGENTS_FOLDER)).catch(ignoreMissing);
    if (root !== undefined && !(await stat(root)).isDirectory())
      listing.issues.push(`${AGENTS_FOLDER}: must be a folder`);
    else if (root !== undefined) await listFolder(home, root, [AGENTS_FOLDER], listing);
  } catch (error) {
    listing.issues.push(`${AGENTS_FOLDER}: cannot be read (${errorCode(error)})`);
  }
  listing.sources.sort();
  return listing;
}

/** Parses a text as the file it is, or is about to become. */
export function sourceFile(source: string, text: string): { file: SourceFile; issues: string[] } {
  const { value, issues } = parseJson(text, source);
  return { file: { source, text, json: value }, issues };
}

export function agentIdOf(source: string): string {
  return source.slice(`${AGENTS_FOLDER}/`.length, -'.json'.length);
}

export function sourceOf(agentId: string): string {
  return `${AGENTS_FOLDER}/${agentId}.json`;
}

async function listFolder(home: string, root: string, path: string[], listing: Listing): Promise<void> {
  const folder = join(home, ...path);
  const entries = await readdir(folder, { withFileTypes: true }).catch(ignoreMissing);
  if (entries === undefined) return;
  listing.folders.push(folder);
  for (const entry of entries.filter(({ name }) => !isTemporary(name))) {
    await listEntry(home, root, [...path, entry.name], entry, listing);
  }
}

async function listEntry(home: string, root: string, path: string[], entry: Dirent, listing: Listing) {
  const source = path.join('/');
  if (entry.isDirectory()) {
    if (path.length > MAX_FOLDER_DEPTH) listing.broken.push(broken(source, 'is nested too deeply'));
    else await listFolder(home, root, path, listing);
    return;
  }
  if (!entry.name.endsWith('.json') && !entry.isSymbolicLink()) return;
  const problem = entry.isSymbolicLink() ? await linkProblem(join(home, ...path), root) : fileProblem(entry);
  if (problem) listing.broken.push(broken(source, problem));
  else if (entry.name.endsWith('.json')) listing.sources.push(source);
}

function broken(source: string, problem: string): BrokenFile {
  return { source, text: '', issues: [`${source}: ${problem}`] };
}

function fileProblem(entry: Dirent): string | undefined {
  return entry.isFile() ? undefined : 'must be a file';
}

async function linkProblem(path: string, root: string): Promise<string | undefined> {
  const target = await realpath(path).catch(ignoreMissing);
  if (target === undefined) return 'is a broken link';
  if (!target.startsWith(root + sep)) return 'is a link to a file outside the agents folder';
  return (await stat(target)).isFile() ? undefined : 'is a link to a folder; use a real folder instead';
}

/** What editors and atomic writes leave beside a file for a moment. */
function isTemporary(name: string): boolean {
  return name.startsWith('.') || name.startsWith('#') || name.endsWith('~');
}

async function readSource(home: string, source: string): Promise<{ file: SourceFile | null; issues: string[] }> {
  try {
    const text = await readText(join(home, source));
    if (text === undefined) return { file: null, issues: [`${source}: must be a file, of at most 4 MB`] };
    return sourceFile(source, text);
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return { file: null, issues: [] };
    return { file: null, issues: [`${source}: cannot be read (${code})`] };
  }
}

async function readText(path: string): Promise<string | undefined> {
  // Asked before opening, because opening a pipe waits for its writer.
  if (!(await stat(path)).isFile()) return undefined;
  await using file = await open(path);
  return (await file.stat()).size > MAX_FILE_BYTES ? undefined : await file.readFile('utf8');
}

export function errorCode(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (typeof code !== 'string') throw error;
  return code;
}

function ignoreMissing(error: unknown): undefined {
  const code = errorCode(error);
  if (code !== 'ENOENT' && code !== 'ENOTDIR' && code !== 'ELOOP') throw error;
}

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
    if ((await textOf(path)) !== edit.before) throw changedMeanwhile(edit.source);
    if (edit.after === null) await remove(home, path);
    else await replaceFile(path, edit.after);
  } catch (error) {
    throw error instanceof AppError ? error : refusal(error, edit.source);
  }
}

/** Writes a file that must not be there yet. Tells whether it did. */
export async function writeNew(home: string, source: string, text: string): Promise<boolean> {
  const path = await realPath(home, source);
  if ((await textOf(path)) !== null) return false;
  await replaceFile(path, text);
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

/** Null: there is no such file. */
export async function textOf(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(errorCode(error))) return null;
    throw error;
  }
}

export async function replaceFile(path: string, text: string): Promise<void> {
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
