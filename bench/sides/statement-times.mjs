// Loaded into a server with --import: counts and times every SQL statement. A signal ends one stretch of counting and
// begins the next; all of them are written to the file that the query of this module's address names.
import { writeFileSync } from 'node:fs';
import { StatementSync } from 'node:sqlite';
import { isMainThread } from 'node:worker_threads';

let times = new Map();
const stretches = [times];

if (isMainThread) watch(new URL(import.meta.url).searchParams.get('to'));

function watch(file) {
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
    }
  };
}

/** Enough to know what is usual. */
const KEPT = 10_000;

function note(sql, ms) {
  // A statement for many rows is the same statement.
  const key = sql
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/(\((\?, )*\?\))(, \((\?, )*\?\))+/g, '$1, …')
    .slice(0, 110);
  const known = times.get(key) ?? { count: 0, ms: [] };
  times.set(key, known);
  known.count += 1;
  if (known.ms.length < KEPT) known.ms.push(ms);
}
