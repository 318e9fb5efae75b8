import { accessSync, constants, statSync } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '../../contract/errors.ts';
import { say } from '../../contract/texts.ts';

const SQLITE_BUSY = 5;
const SQLITE_LOCKED = 6;
const SQLITE_READONLY = 8;
const SQLITE_IOERR = 10;
const SQLITE_CORRUPT = 11;
const SQLITE_FULL = 13;
const SQLITE_CANTOPEN = 14;
const SQLITE_NOTADB = 26;

/** A commit that failed while it was written through to the disk: the next start may find it, or not. */
export class UnconfirmedCommitError extends Error {}

export function asUnconfirmed(error: unknown): unknown {
  if (sqliteCode(error) !== SQLITE_IOERR) return error;
  return new UnconfirmedCommitError('It is not known whether the transaction was committed.', { cause: error });
}

/** Turns what the database says into what a caller can act on; anything else passes through unchanged. */
export function describeStorageFailure(error: unknown): unknown {
  if (error instanceof UnconfirmedCommitError) {
    return new AppError('storage_unconfirmed', say('storage_unconfirmed'), { retryAfterSeconds: 2 });
  }
  const code = sqliteCode(error);
  if (code === SQLITE_FULL || isNoSpace(error)) {
    return new AppError('storage_full', say('storage_full'), {
      retryAfterSeconds: 5,
    });
  }
  if (code === SQLITE_BUSY || code === SQLITE_LOCKED || code === SQLITE_IOERR || code === SQLITE_CANTOPEN) {
    return new AppError('storage_unavailable', say('storage_unavailable'), {
      retryAfterSeconds: 2,
    });
  }
  if (code === SQLITE_CORRUPT || code === SQLITE_NOTADB) {
    return new AppError('storage_damaged', say('storage_damaged'));
  }
  return error;
}

/** Another process holds the lock. */
export function isBusy(error: unknown): boolean {
  return sqliteCode(error) === SQLITE_BUSY;
}

/** The file is not a database, or no longer one. */
export function isDamaged(error: unknown): boolean {
  const code = sqliteCode(error);
  return code === SQLITE_CORRUPT || code === SQLITE_NOTADB;
}

/** For the person who starts the server: which file is damaged, and what to do about it. */
export function describeDamage(error: unknown, file: string): unknown {
  return isDamaged(error) ? damaged(file, (error as Error).message) : error;
}

export function damaged(file: string, reason: string): AppError {
  return new AppError(
    'storage_damaged',
    `The database ${file} is damaged (${reason}). Restore a backup of the data folder, or move the file away to start ` +
      'with an empty database. `parley doctor` checks the database again.',
  );
}

export function sqliteCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('errcode' in error)) return undefined;
  // Extended result codes keep the primary one in their low byte.
  return typeof error.errcode === 'number' ? error.errcode & 0xff : undefined;
}

function isNoSpace(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOSPC';
}

const DATABASE = 'parley.db';

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
