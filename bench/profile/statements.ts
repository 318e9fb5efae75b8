import { readFileSync } from 'node:fs';
import { median } from '../load/statistics.ts';
import type { Stretches } from './stretches.ts';

/** What `statement-times.mjs` writes for one stretch. */
type Counted = Record<string, { count: number; ms: number[] }>;

interface Cost {
  sql: string;
  /** For each thing that was done. */
  count: number;
  /** Of one execution. The usual time and no mean, since a busy machine makes some of them very long. */
  us: number;
}

const TOP = 60;
/** Each waits for the disk, unless nothing was written. */
const COMMIT = 'commit';
/** Not a statement: the pages that commits have written to the write-ahead log. */
const PAGES = 'pages';

/** Every SQL statement, how often it is executed for each thing that is done, and how long that usually takes. */
export function printStatements(file: string, stretches: Stretches): void {
  const counted = JSON.parse(readFileSync(file, 'utf8')) as Counted[];
  const { title, stretch, without } = stretches.contrast();
  // Counting begins anew at both ends of a stretch; what lies between two of them is nobody's.
  const of = (index: number) => counted[2 * index + 1] ?? counted[0]!;
  const costs = without ? more(of(1), stretch.times, of(0), without.times) : each(of(0), stretch.times);
  const used = costs.filter(({ sql, count }) => sql !== PAGES && Math.abs(count) > 0.005);
  const pages = costs.find(({ sql }) => sql === PAGES)?.count ?? 0;
  const statements = used.reduce((sum, { count }) => sum + count, 0);
  const transactions = used.find(({ sql }) => sql === COMMIT)?.count ?? 0;
  console.log(
    `${title}: ${statements.toFixed(1)} statements, ${transactions.toFixed(1)} transactions, ${pages.toFixed(1)} pages written\n`,
  );
  console.log('  count     µs each       all µs  statement');
  for (const cost of used.toSorted((a, b) => b.count * b.us - a.count * a.us).slice(0, TOP)) console.log(line(cost));
}

function each(counted: Counted, times: number): Cost[] {
  return Object.entries(counted).map(([sql, { count, ms }]) => ({ sql, count: count / times, us: median(ms) * 1000 }));
}

function more(counted: Counted, times: number, others: Counted, otherTimes: number): Cost[] {
  const known = each(counted, times);
  return known.map((cost) => ({ ...cost, count: cost.count - (others[cost.sql]?.count ?? 0) / otherTimes }));
}

function line({ sql, count, us }: Cost): string {
  const cells = [count.toFixed(2), us.toFixed(1), (count * us).toFixed(1)];
  return `${cells.map((cell, index) => cell.padStart([7, 11, 12][index]!)).join(' ')}  ${sql}`;
}
