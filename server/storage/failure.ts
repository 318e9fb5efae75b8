import { AppError } from '../../contract/errors.ts';
import { say } from '../../contract/texts.ts';

const SQLITE_BUSY = 5;
const SQLITE_LOCKED = 6;
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
