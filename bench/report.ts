import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** One line of the table. */
export interface Row {
  row: string;
  /** What it is compared with, and its figure. */
  baseline: string;
  parley: string;
  ratio: string;
  goal: string;
  /** `null` where there is no goal. */
  met: boolean | null;
  note?: string;
  /** Everything that was measured, for the JSON file. */
  figures: Record<string, unknown>;
}

export interface Comparison {
  row: string;
  baselineName: string;
  baseline: number;
  parley: number;
  unit: string;
  /** Parley's figure is at most (or at least) this many times the baseline's. */
  atMost?: number;
  atLeast?: number;
  note?: string;
  figures?: Record<string, unknown>;
}

export function compare(comparison: Comparison): Row {
  const { row, baselineName, baseline, parley, unit, atMost, atLeast, note, figures = {} } = comparison;
  const ratio = parley / baseline;
  const goal = atMost !== undefined ? `<= ${atMost}x` : atLeast !== undefined ? `>= ${atLeast}` : '';
  const met = atMost !== undefined ? ratio <= atMost : atLeast !== undefined ? ratio >= atLeast : null;
  return {
    row,
    baseline: `${format(baseline)} ${unit} (${baselineName})`,
    parley: `${format(parley)} ${unit}`,
    ratio: ratio.toFixed(2),
    goal,
    met,
    ...(note !== undefined && { note }),
    figures: { baseline, parley, ratio, unit, ...figures },
  };
}

export function format(value: number): string {
  if (!Number.isFinite(value)) return '–';
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString('en');
  return value.toFixed(Math.abs(value) >= 10 ? 1 : 2);
}

const HEAD = ['row', 'baseline', 'Parley', 'ratio', 'goal', 'verdict'];

export function printTable(rows: readonly Row[]): void {
  const lines = rows.map((row) => [row.row, row.baseline, row.parley, row.ratio, row.goal, verdict(row)]);
  const widths = HEAD.map((head, column) => Math.max(head.length, ...lines.map((line) => line[column]!.length)));
  const print = (cells: readonly string[]) =>
    console.log(`| ${cells.map((cell, column) => cell.padEnd(widths[column]!)).join(' | ')} |`);
  print(HEAD);
  print(widths.map((width) => '-'.repeat(width)));
  for (const line of lines) print(line);
  for (const row of rows) if (row.note) console.log(`\n${row.row}: ${row.note}`);
  const missed = rows.filter((row) => row.met === false);
  console.log(missed.length === 0 ? '\nEvery goal is met.' : `\n${missed.length} goals are MISSED:`);
  for (const row of missed) console.log(`  ${row.row}: ${row.parley}, ratio ${row.ratio}, goal ${row.goal}`);
}

function verdict({ met }: Row): string {
  if (met === null) return '';
  return met ? 'ok' : 'MISSED';
}

export function storeResults(folder: string, results: object): string {
  mkdirSync(folder, { recursive: true });
  const file = path.join(folder, `${new Date().toISOString().replaceAll(/[:.]/g, '-')}.json`);
  writeFileSync(file, `${JSON.stringify(results, null, 2)}\n`);
  return file;
}
