import { chmodSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';

export class FolderInUseError extends Error {
  constructor(home: string) {
    super(`Another Parley is using ${home}. Stop it first, or point --home at another folder.`);
    this.name = 'FolderInUseError';
  }
}

export interface FolderLock {
  release(): void;
}

/**
 * One server per data folder. The lock is the operating system's own, taken through SQLite, so it ends with the
 * process however the process ends.
 */
export function lockFolder(home: string): FolderLock {
  const name = path.join(home, 'lock');
  const file = new DatabaseSync(name, { timeout: 0 });
  try {
    file.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
  } catch {
    file.close();
    throw new FolderInUseError(home);
  }
  chmodSync(name, 0o600);
  return { release: () => file.close() };
}
