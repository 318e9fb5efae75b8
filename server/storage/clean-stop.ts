import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';

/**
 * A server that stops in order leaves a file beside the database that says how the database was then. Without it, or when
 * the database is not as it says, the last server did not stop in order or the database was changed or replaced since.
 */
interface Mark {
  size: number;
  mtimeMs: number;
}

const markOf = (database: string) => `${database}-stopped`;

/** Takes the mark away, as long as a server uses the database. */
export function takeCleanStop(database: string): boolean {
  const left = readMark(database);
  rmSync(markOf(database), { force: true });
  const found = currentMark(database);
  if (found === null) return true;
  return left !== null && left.size === found.size && left.mtimeMs === found.mtimeMs && !hasLog(database);
}

/** After the database was closed. What cannot be written down means a check at the next start. */
export function leaveCleanStop(database: string): void {
  const mark = currentMark(database);
  if (mark === null || hasLog(database)) return;
  try {
    writeFileSync(markOf(database), JSON.stringify(mark), { mode: 0o600 });
  } catch {
    rmSync(markOf(database), { force: true });
  }
}

function readMark(database: string): Mark | null {
  try {
    return JSON.parse(readFileSync(markOf(database), 'utf8'));
  } catch {
    return null;
  }
}

/** Null where there is no database yet. */
function currentMark(database: string): Mark | null {
  const found = statSync(database, { throwIfNoEntry: false });
  return found && found.size > 0 ? { size: found.size, mtimeMs: found.mtimeMs } : null;
}

function hasLog(database: string): boolean {
  return (statSync(`${database}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;
}
