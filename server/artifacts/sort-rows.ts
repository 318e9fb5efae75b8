import type { RowField, ViewQuery } from '../../contract/views.ts';
import { nameKey } from '../storage/name-key.ts';
import type { Calendar } from './calendar.ts';
import { order } from './filter-rows.ts';
import type { Row } from './rows.ts';

/** A row in one of its groups, with what it is sorted by. */
export interface PlacedRow {
  readonly row: Row;
  readonly group: string | null;
  readonly keys: readonly Key[];
}

type Key = string | number | null;

/** Where the choices of all lists have their place, by field. */
export type ChoiceOrder = ReadonlyMap<string, ReadonlyMap<string, number>>;

export interface Sorting {
  readonly query: ViewQuery;
  readonly calendar: Calendar;
  readonly choices: ChoiceOrder;
}

/** Rows with many tags are in many groups. */
const MOST_PLACES = 200_000;
/** Texts are sorted by so many of their characters. */
const MOST_KEY = 200;

/** Groups follow one another; what is empty comes last. Where nothing else decides, rows stay in the order they have. */
export function sortRows(rows: readonly Row[], sorting: Sorting): { placed: PlacedRow[]; isCut: boolean } {
  const { group, sort } = sorting.query;
  const directions = [...(group ? [1] : []), ...sort.map(({ direction }) => (direction === 'up' ? 1 : -1))];
  const placed: PlacedRow[] = [];
  for (const row of rows) {
    if (placed.length >= MOST_PLACES) return { placed: sorted(placed, directions), isCut: true };
    placed.push(...placesOf(row, sorting));
  }
  return { placed: sorted(placed, directions), isCut: false };
}

function sorted(placed: PlacedRow[], directions: readonly number[]): PlacedRow[] {
  return placed.sort((a, b) => compareKeys(a.keys, b.keys, directions));
}

function placesOf(row: Row, sorting: Sorting): PlacedRow[] {
  const { group, sort } = sorting.query;
  const keys = sort.map(({ field }) => keyOf(row.get(field), field, sorting));
  if (!group) return [{ row, group: null, keys }];
  return groupsOf(row, group, sorting).map((value) => ({
    row,
    group: value,
    keys: [keyOf(value, group, sorting), ...keys],
  }));
}

function groupsOf(row: Row, field: RowField, { calendar }: Sorting): (string | null)[] {
  const value = row.get(field);
  if (Array.isArray(value)) return value.length === 0 ? [null] : (value as string[]);
  if (value === null || value === undefined || value === '') return [null];
  return [calendar.dayIn(value) ?? String(value)];
}

function keyOf(value: unknown, field: RowField, { choices, calendar }: Sorting): Key {
  if (value === null || value === undefined || value === '') return null;
  if (typeof value === 'number') return value;
  if (Array.isArray(value)) return value.length === 0 ? null : nameKey(value.join(' ').slice(0, MOST_KEY));
  const text = String(value);
  const choice = choices.get(field)?.get(text);
  if (choice !== undefined) return choice;
  const day = calendar.dayIn(text);
  // A day comes before the moments in it.
  if (day !== null) return text.length > 10 ? `${day}T${new Date(text).toISOString()}` : day;
  return nameKey(text.slice(0, MOST_KEY));
}

function compareKeys(a: readonly Key[], b: readonly Key[], directions: readonly number[]): number {
  for (const [index, direction] of directions.entries()) {
    const [one, other] = [a[index]!, b[index]!];
    if (one === null || other === null) {
      if (one !== other) return one === null ? 1 : -1;
      continue;
    }
    const result = typeof one === typeof other ? order(one, other as typeof one) : order(typeof one, typeof other);
    if (result !== 0) return result * direction;
  }
  return 0;
}
