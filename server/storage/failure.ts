import { AppError } from '../../contract/errors.ts';

const SQLITE_BUSY = 5;
const SQLITE_LOCKED = 6;
const SQLITE_IOERR = 10;
const SQLITE_CORRUPT = 11;
const SQLITE_FULL = 13;
const SQLITE_CANTOPEN = 14;
const SQLITE_NOTADB = 26;

/** Turns what the database says into what a caller can act on; anything else passes through unchanged. */
export function describeStorageFailure(error: unknown): unknown {
  const code = sqliteCode(error);
  if (code === SQLITE_FULL || isNoSpace(error)) {
    return new AppError(
      'storage_full',
      'The disk or the storage quota is full. Nothing was written; free some space and send again.',
      {
        retryAfterSeconds: 5,
      },
    );
  }
  if (code === SQLITE_BUSY || code === SQLITE_LOCKED || code === SQLITE_IOERR || code === SQLITE_CANTOPEN) {
    return new AppError(
      'storage_unavailable',
      'The database cannot be used right now. Nothing was written; try again.',
      {
        retryAfterSeconds: 2,
      },
    );
  }
  if (code === SQLITE_CORRUPT || code === SQLITE_NOTADB) {
    return new AppError(
      'storage_unavailable',
      'The database is damaged. Stop Parley and restore a copy of the data folder.',
    );
  }
  return error;
}

/** Another process holds the lock. */
export function isBusy(error: unknown): boolean {
  return sqliteCode(error) === SQLITE_BUSY;
}

/** For whoever starts the server: which file is damaged, and what to do about it. */
export function describeDamage(error: unknown, file: string): unknown {
  const code = sqliteCode(error);
  if (code !== SQLITE_CORRUPT && code !== SQLITE_NOTADB) return error;
  return new AppError(
    'storage_unavailable',
    `The database ${file} is damaged (${(error as Error).message}). Nothing was changed. ` +
      'Restore a copy of the data folder, or move the file away to begin anew.',
  );
}

function sqliteCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('errcode' in error)) return undefined;
  // Extended result codes keep the primary one in their low byte.
  return typeof error.errcode === 'number' ? error.errcode & 0xff : undefined;
}

function isNoSpace(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOSPC';
}
