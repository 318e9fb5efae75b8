import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { ChangedFile } from '../../contract/messages.ts';
import { GitError, GitMissingError, git } from './git.ts';

export interface Changes {
  readonly files: readonly ChangedFile[];
  /** More files were changed than are listed. */
  readonly isCut: boolean;
  /** As `git diff` writes it; cut when it is very long. */
  readonly patch: string;
}

/** A folder as it was at one moment. */
export interface Snapshot {
  readonly folder: string;
  readonly tree: string;
}

const SNAPSHOT_MS = 15_000;
const MOST_FILES = 500;
const MOST_PATCH_BYTES = 1_000_000;
/** Written by package managers: no one wants to read them, and looking at them takes longest. */
const EXCLUDED = ['node_modules/', '.venv/', '__pycache__/', '.parley/'];

/**
 * What changes in workspaces, whether or not they are repositories: each has a repository beside it, in the data folder, in
 * which snapshots are kept. The workspace's own repository is neither read nor written.
 */
export class WorkspaceChanges {
  readonly #home: string;
  /** Repositories that this server has made or seen whole: a git less before each turn. */
  readonly #made = new Set<string>();
  /** One git at a time in each repository. */
  readonly #last = new Map<string, Promise<unknown>>();
  /** Snapshots that are still to be compared, by repository: as long as there are any, nothing is cleaned up. */
  readonly #open = new Map<string, number>();

  constructor(home: string) {
    this.#home = home;
  }

  /** Null where git is missing or the folder is too large to look at in time: then nothing is known of its changes. */
  async begin(folder: string): Promise<Snapshot | null> {
    try {
      const tree = await this.#inOrder(folder, () => this.#take(folder));
      this.#open.set(folder, (this.#open.get(folder) ?? 0) + 1);
      return { folder, tree };
    } catch (error) {
      if (error instanceof GitMissingError || error instanceof GitError) return null;
      throw error;
    }
  }

  /** What has changed since then; null when nothing has, or it cannot be told. */
  async end({ folder, tree }: Snapshot): Promise<Changes | null> {
    try {
      return await this.#inOrder(folder, () => this.#compare(folder, tree));
    } catch (error) {
      if (error instanceof GitError) return null;
      throw error;
    } finally {
      this.#open.set(folder, (this.#open.get(folder) ?? 1) - 1);
    }
  }

  async #inOrder<T>(folder: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(folder) ?? Promise.resolve();
    const mine = before.then(work);
    const settled = mine.catch(() => undefined);
    this.#last.set(folder, settled);
    try {
      return await mine;
    } finally {
      if (this.#last.get(folder) === settled) this.#last.delete(folder);
    }
  }

  async #take(folder: string): Promise<string> {
    const options = { folder, gitDir: await this.#repositoryOf(folder), timeoutMs: SNAPSHOT_MS };
    await git(['add', '--all', '--ignore-errors', '--', '.'], options);
    return (await git(['write-tree'], options)).trim();
  }

  async #compare(folder: string, before: string): Promise<Changes | null> {
    const after = await this.#take(folder);
    if (after === before) return null;
    const options = { folder, gitDir: this.#gitDir(folder), timeoutMs: SNAPSHOT_MS };
    const trees = ['-r', '-M', '--no-ext-diff', '--no-textconv', before, after];
    const [states, counts] = [
      await git(['diff-tree', '--name-status', '-z', ...trees], options),
      await git(['diff-tree', '--numstat', '-z', ...trees], options),
    ];
    const all = readChanges(states, counts);
    const patch = await git(['diff-tree', '-p', ...trees], { ...options, maxBytes: MOST_PATCH_BYTES });
    if ((this.#open.get(folder) ?? 0) <= 1)
      await git(['-c', 'gc.auto=2000', 'gc', '--auto', '--quiet', '--prune=now'], options);
    return { files: all.slice(0, MOST_FILES), isCut: all.length > MOST_FILES, patch };
  }

  async #repositoryOf(folder: string): Promise<string> {
    const gitDir = this.#gitDir(folder);
    if (!(this.#made.has(gitDir) && existsSync(path.join(gitDir, 'HEAD')))) await this.#make(folder, gitDir);
    // A git that was killed leaves its lock; only this server works here, one git at a time.
    await rm(path.join(gitDir, 'index.lock'), { force: true });
    return gitDir;
  }

  async #make(folder: string, gitDir: string): Promise<void> {
    await mkdir(gitDir, { recursive: true, mode: 0o700 });
    await git(['init', '--quiet'], { folder, gitDir });
    await writeFile(path.join(gitDir, 'info', 'exclude'), `${EXCLUDED.join('\n')}\n`);
    this.#made.add(gitDir);
  }

  #gitDir(folder: string): string {
    return path.join(this.#home, 'snapshots', createHash('sha256').update(folder).digest('hex').slice(0, 32));
  }
}

const KINDS: Readonly<Record<string, ChangedFile['kind']>> = {
  A: 'added',
  D: 'deleted',
  M: 'changed',
  R: 'renamed',
  T: 'changed',
};

/** `--name-status -z`: state, path, and for a renamed file its new path. `--numstat -z` lists the same files in the same order. */
function readChanges(states: string, counts: string): ChangedFile[] {
  const fields = states.split('\0');
  const numbers = readCounts(counts);
  const files: ChangedFile[] = [];
  for (let at = 0; at + 1 < fields.length; ) {
    const state = fields[at]![0] ?? '';
    const isRenamed = state === 'R' || state === 'C';
    const [from, to] = [fields[at + 1]!, fields[at + 2] ?? ''];
    const place = isRenamed ? to : from;
    files.push({
      path: place,
      kind: KINDS[state] ?? 'changed',
      ...(isRenamed && { from }),
      ...(numbers.get(place) ?? UNCOUNTED),
    });
    at += isRenamed ? 3 : 2;
  }
  return files;
}

const UNCOUNTED = { added: null, removed: null };

/** `ADDED TAB REMOVED TAB PATH`, with the path left out and both paths following for a renamed file; `-` for a binary file. */
function readCounts(counts: string): Map<string, { added: number | null; removed: number | null }> {
  const fields = counts.split('\0');
  const found = new Map<string, { added: number | null; removed: number | null }>();
  for (let at = 0; at < fields.length; at++) {
    const match = /^(\d+|-)\t(\d+|-)\t(.*)$/s.exec(fields[at]!);
    if (!match) continue;
    const [, added, removed, place] = match;
    const isRenamed = place === '';
    if (isRenamed) at += 2;
    found.set(isRenamed ? fields[at]! : place!, { added: toCount(added!), removed: toCount(removed!) });
  }
  return found;
}

function toCount(text: string): number | null {
  return text === '-' ? null : Number(text);
}
