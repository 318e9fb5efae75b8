import { mkdir, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { AppError } from '../../contract/errors.ts';
import { say } from '../../contract/texts.ts';
import { GitError, git } from './git.ts';

const ADD_MS = 120_000;

/** The worktree of a session, made from the newest commit of the repository on a branch of its own. */
export async function addWorktree(repository: string, folder: string, sessionId: string): Promise<string> {
  if (await isFolder(folder)) return realpath(folder);
  await mkdir(path.dirname(folder), { recursive: true, mode: 0o700 });
  try {
    await git(['worktree', 'prune'], { folder: repository });
    await git(['worktree', 'add', '--quiet', '-B', branchOf(sessionId), '--', folder, 'HEAD'], {
      folder: repository,
      timeoutMs: ADD_MS,
    });
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    throw new AppError(
      'workspace_refused',
      say('workspace_refused.worktree', { folder: repository, reason: error.message }),
    );
  }
  return realpath(folder);
}

/** Deletes the worktree of a session unless it holds changes that are in no commit, and its branch unless it holds commits. */
export async function removeWorktree(folder: string, sessionId: string): Promise<void> {
  if (!(await isFolder(folder))) return;
  const common = await git(['rev-parse', '--path-format=absolute', '--git-common-dir'], { folder });
  const repository = path.dirname(common.trim());
  await git(['worktree', 'remove', '--', folder], { folder: repository });
  await git(['branch', '--quiet', '-d', branchOf(sessionId)], { folder: repository });
}

function branchOf(sessionId: string): string {
  return `parley/${sessionId}`;
}

async function isFolder(folder: string): Promise<boolean> {
  return (await stat(folder).catch(() => undefined))?.isDirectory() ?? false;
}
