import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';

/** Leaves no file behind: without `immutable`, SQLite creates a write-ahead log even for a connection that only reads. */
export function openReadOnly(file: string, timeout: number): DatabaseSync {
  const url = pathToFileURL(file);
  if (!existsSync(`${file}-wal`)) url.searchParams.set('immutable', '1');
  return new DatabaseSync(url, { readOnly: true, timeout });
}
