import { accessSync, constants, statSync } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '../../contract/errors.ts';
import { sqliteCode } from './failure.ts';

const DATABASE = 'parley.db';
const SQLITE_READONLY = 8;
const SQLITE_IOERR = 10;
const SQLITE_FULL = 13;
const SQLITE_CANTOPEN = 14;

/** What kept a server from starting, as one sentence about the data folder; anything else passes through unchanged. */
export function describeStartFailure(error: unknown, home: string): unknown {
  if (error instanceof AppError) return describeRefusal(error, home);
  if (!(error instanceof Error)) return error;
  const { code, path = home, dest = path, syscall } = error as NodeJS.ErrnoException & { dest?: string };
  // A port that cannot be used is no fault of the folder.
  if (syscall === 'listen') return error;
  if (isFolder(join(home, DATABASE))) return unusable(BY_ERRNO.EISDIR!(home, join(home, DATABASE)));
  const words = (code !== undefined && BY_ERRNO[code]?.(home, dest)) || wordsOfSqlite(error, home);
  return words ? unusable(words) : error;
}

/** Names the data folder: a person who did not write the files may not know where they are. */
function describeRefusal(error: AppError, home: string): AppError {
  const { code, issues } = error;
  if (code !== 'configuration_invalid' || !issues) return error;
  return new AppError(code, `The configuration in ${home} is invalid: ${issues.join('; ')}`, { issues });
}

function unusable(words: string): AppError {
  return new AppError('data_folder_unusable', words);
}

/** SQLite reports a folder in place of the database like a failing disk. */
function isFolder(file: string): boolean {
  try {
    return statSync(file).isDirectory();
  } catch {
    return false;
  }
}

type Words = (home: string, path: string) => string;

const full: Words = (home) => `The disk with ${home} is full. Free some space, then start again.`;
const readOnly: Words = (home) => `The disk with ${home} is read-only. Parley needs write access.`;
const forbidden: Words = (_home, path) => `No permission to use ${path}. Change its permissions or its owner.`;
const noFolder: Words = (_home, path) => `${path} is a file, not a folder. Choose a folder with --home.`;

const BY_ERRNO: Record<string, Words> = {
  ENOSPC: full,
  EDQUOT: full,
  EROFS: readOnly,
  EACCES: forbidden,
  EPERM: forbidden,
  EEXIST: noFolder,
  ENOTDIR: noFolder,
  EISDIR: (_home, path) => `${path} is a folder, not a file. Move it away, then start again.`,
  ENOENT: (_home, path) => `Can't create ${path}: its parent folder does not exist. Check --home.`,
};

function isAccessible(folder: string): boolean {
  try {
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function wordsOfSqlite(error: Error, home: string): string | undefined {
  switch (sqliteCode(error)) {
    case SQLITE_FULL:
      return full(home, home);
    case SQLITE_READONLY:
      return readOnly(home, home);
    case SQLITE_IOERR:
      return `Can't write to the database in ${home}: the disk is full or failing.`;
    case SQLITE_CANTOPEN:
      return isAccessible(home)
        ? `Can't open the database in ${home}. Check that parley.db and lock are files you can write to.`
        : forbidden(home, home);
    default:
      return undefined;
  }
}
