import { parentPort, workerData } from 'node:worker_threads';
import { isDamaged } from './failure.ts';
import { openReadOnly } from './read-only.ts';
import type { CheckRequest } from './thread.ts';

const MOST_PROBLEMS = 5;

const { file, depth } = workerData as CheckRequest;
parentPort!.postMessage(check());

/** What is wrong with the database; nothing when it is intact. Reads only, beside a server that uses it. */
function check(): string[] {
  const db = openReadOnly(file, 5000);
  try {
    const pragma = depth === 'quick' ? 'quick_check' : 'integrity_check';
    const rows = db.prepare(`PRAGMA ${pragma}(${MOST_PROBLEMS})`).all();
    const problems = rows.map((row) => String(row[pragma]));
    return problems[0] === 'ok' ? [] : problems;
  } catch (error) {
    if (isDamaged(error)) return [(error as Error).message];
    throw error;
  } finally {
    db.close();
  }
}
