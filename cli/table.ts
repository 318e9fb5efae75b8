import { look, print } from './output.ts';
import { safeLine } from './terminal-text.ts';
import { cut, pad, widthOf } from './text-width.ts';

export interface Column {
  title: string;
  /** Gives way when the terminal is narrow; what has to be copied whole does not. */
  shrinks?: boolean;
  paint?: (cell: string, row: number) => string;
}

const GAP = 2;
const NARROWEST = 8;

/** Fits the terminal; into a pipe everything goes whole. */
export function printTable(columns: readonly Column[], rows: readonly (readonly string[])[]): void {
  const room = process.stdout.isTTY ? process.stdout.columns || 80 : Number.POSITIVE_INFINITY;
  for (const line of formatTable(columns, rows, room)) print(line);
}

export function formatTable(columns: readonly Column[], rows: readonly (readonly string[])[], room: number): string[] {
  const cells = rows.map((row) => row.map(safeLine));
  const widths = chooseWidths(columns, cells, room);
  const head = columns.map(({ title }, index) => look().dim(pad(cut(title, widths[index]!), widths[index]!)));
  const body = cells.map((row, at) =>
    row.map((cell, index) => paint(columns[index]!, pad(cut(cell, widths[index]!), widths[index]!), at)),
  );
  return [head, ...body].map((line) => line.join(' '.repeat(GAP)).trimEnd());
}

function paint({ paint }: Column, cell: string, row: number): string {
  return paint ? paint(cell, row) : cell;
}

/** Takes from the widest column that can give until everything fits. */
function chooseWidths(columns: readonly Column[], cells: readonly (readonly string[])[], room: number): number[] {
  const widths = columns.map(({ title }, index) =>
    Math.max(widthOf(title), ...cells.map((row) => widthOf(row[index]!))),
  );
  for (let over = total(widths) - room; over > 0; over = total(widths) - room) {
    const widest = widestOf(columns, widths);
    if (widest < 0) break;
    widths[widest] = Math.max(NARROWEST, widths[widest]! - Math.max(1, Math.floor(over / 2)));
  }
  return widths;
}

function total(widths: readonly number[]): number {
  return widths.reduce((sum, width) => sum + width, 0) + GAP * (widths.length - 1);
}

function widestOf(columns: readonly Column[], widths: readonly number[]): number {
  const giving = widths.map((width, index) => (columns[index]!.shrinks && width > NARROWEST ? width : 0));
  const most = Math.max(...giving);
  return most === 0 ? -1 : giving.indexOf(most);
}
