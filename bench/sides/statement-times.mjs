// Loaded into a server with --import: counts and times every SQL statement, and the pages that commits write. A signal ends one stretch of counting and
// begins the next; all of them are written to the file that the query of this module's address names.
import { closeSync, openSync, readSync, writeFileSync } from 'node:fs';
import { DatabaseSync, StatementSync } from 'node:sqlite';
import { isMainThread } from 'node:worker_threads';

let times = new Map();
const stretches = [times];

if (isMainThread) watch(new URL(import.meta.url).searchParams.get('to'));

function watch(file) {
  const { prepare } = DatabaseSync.prototype;
  DatabaseSync.prototype.prepare = function prepareKnown(...args) {
    logFile = this.location() ?? logFile;
    return prepare.apply(this, args);
  };
  for (const method of ['run', 'all', 'get']) StatementSync.prototype[method] = timed(StatementSync.prototype[method]);
  process.on('SIGUSR2', () => {
    times = new Map();
    stretches.push(times);
  });
  process.on('exit', () => writeFileSync(file, JSON.stringify(stretches.map(Object.fromEntries))));
}

function timed(original) {
  return function execute(...args) {
    const before = performance.now();
    try {
      return original.apply(this, args);
    } finally {
      note(this.sourceSQL, performance.now() - before);
      if (this.sourceSQL === 'commit') note(PAGES, 0, pagesWritten());
    }
  };
}

/** Not a statement: how many pages the commits have written to the write-ahead log. */
const PAGES = 'pages';
let logFile = '';
let pagesBefore = 0;

/** The number of pages in the log is in the header of its index; it begins anew after a checkpoint. */
function pagesWritten() {
  const header = Buffer.alloc(20);
  const index = openSync(`${logFile}-shm`, 'r');
  readSync(index, header, 0, 20, 0);
  closeSync(index);
  const pages = header.readUInt32LE(16);
  const written = pages >= pagesBefore ? pages - pagesBefore : pages;
  pagesBefore = pages;
  return written;
}

/** Enough to know what is usual. */
const KEPT = 10_000;

function note(sql, ms, added = 1) {
  // A statement for many rows is the same statement.
  const key = sql
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/(\((\?, )*\?\))(, \((\?, )*\?\))+/g, '$1, …')
    .slice(0, 110);
  const known = times.get(key) ?? { count: 0, ms: [] };
  times.set(key, known);
  known.count += added;
  if (known.ms.length < KEPT) known.ms.push(ms);
}
