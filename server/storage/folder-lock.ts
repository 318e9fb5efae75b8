import { chmodSync, existsSync, statSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { AppError } from '../../contract/errors.ts';
import { isBusy, isDamaged } from './failure.ts';

const DELETE_IT = 'Make sure no Parley server is using this folder, delete the file, then start again.';

export class FolderInUseError extends Error {
  constructor(home: string) {
    super(`Another Parley server is using ${home}. Stop it first, or choose another folder with --home.`);
    this.name = 'FolderInUseError';
  }
}

export interface FolderLock {
  /** Fails when the lock file is no longer the one that was locked. */
  assertHeld(): void;
  release(): void;
}

/** Marks a lock file whose holder has made sure that no other server has the database open. */
const CHECKED = 1;

/**
 * One server per data folder. The lock is the operating system's own, taken through SQLite, so it ends with the
 * process however the process ends. A running server keeps a lock on the database as well: a lock file that is new,
 * because the folder is or because the file was deleted, counts only once no other process has the database open.
 */
export function lockFolder(home: string, database: string): FolderLock {
  const name = path.join(home, 'lock');
  const file = new DatabaseSync(name, { timeout: 0 });
  try {
    lockFile(file, name, home);
    const inode = inodeOf(name);
    chmodSync(name, 0o600);
    assertNotOpen(file, database, home);
    const assertHeld = () => {
      if (inodeOf(name) !== inode) throw new FolderInUseError(home);
    };
    return { assertHeld, release: () => file.close() };
  } catch (error) {
    file.close();
    throw error;
  }
}

/** Whether a server or a command that works without one holds the lock. Changes nothing. */
export function isFolderLocked(home: string): boolean {
  const name = path.join(home, 'lock');
  if (!existsSync(name)) return false;
  const file = new DatabaseSync(name, { readOnly: true, timeout: 0 });
  try {
    file.prepare('SELECT 1 FROM sqlite_master').all();
    return false;
  } catch (error) {
    return isBusy(error);
  } finally {
    file.close();
  }
}

function lockFile(file: DatabaseSync, name: string, home: string): void {
  try {
    file.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE; COMMIT');
  } catch (error) {
    if (isBusy(error)) throw new FolderInUseError(home);
    if (isDamaged(error)) throw new AppError('data_folder_unusable', `${name} is not a lock file. ${DELETE_IT}`);
    throw error;
  }
}

function assertNotOpen(file: DatabaseSync, database: string, home: string): void {
  if (file.prepare('PRAGMA user_version').get()!.user_version === CHECKED) return;
  if (isOpenElsewhere(database)) throw new FolderInUseError(home);
  file.exec(`PRAGMA user_version = ${CHECKED}`);
}

/** A connection that uses a write-ahead log shares a lock on the database for as long as it is open. */
function isOpenElsewhere(database: string): boolean {
  if (!statSync(database, { throwIfNoEntry: false })?.size) return false;
  const probe = new DatabaseSync(database, { timeout: 0 });
  try {
    probe.exec('PRAGMA locking_mode = EXCLUSIVE; SELECT 1 FROM sqlite_master');
    return false;
  } catch (error) {
    // What else is wrong with the database is said when it is opened.
    return isBusy(error);
  } finally {
    probe.close();
  }
}

function inodeOf(file: string): number | undefined {
  return statSync(file, { throwIfNoEntry: false })?.ino;
}
