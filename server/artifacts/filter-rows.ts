import type { FilterTest, ViewFilter } from '../../contract/views.ts';
import { nameKey } from '../storage/name-key.ts';
import type { Calendar } from './calendar.ts';
import type { Row } from './rows.ts';

export type RowTest = (row: Row) => boolean;

/** All filters and all words must hold. */
export function rowTest(filters: readonly ViewFilter[], words: string, calendar: Calendar): RowTest {
  const keys = new RowKeys();
  const tests = filters.map((filter) => filterTest(filter, calendar, keys));
  const wanted = nameKey(words).split(' ').filter(Boolean);
  return (row) => {
    keys.clear();
    return tests.every((test) => test(row)) && hasWords(row, wanted);
  };
}

/** The texts of one row as they are compared: many filters may look into a long one, which is prepared once. */
class RowKeys {
  readonly #known = new Map<string, string>();

  clear(): void {
    this.#known.clear();
  }

  of(text: string): string {
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    const key = nameKey(text);
    this.#known.set(text, key);
    return key;
  }
}

function hasWords(row: Row, wanted: readonly string[]): boolean {
  if (wanted.length === 0) return true;
  const text = nameKey(row.words);
  return wanted.every((word) => text.includes(word));
}

function filterTest({ field, test, value }: ViewFilter, calendar: Calendar, keys: RowKeys): RowTest {
  const wanted = calendar.resolve(value);
  if (field === 'list') return (row) => holdsOfList(row, test, wanted);
  const isNegated = test === 'is_not' || test === 'lacks' || test === 'empty';
  const positive = POSITIVE[test];
  return (row) => holds(row.get(field), positive, wanted, { calendar, keys }) !== isNegated;
}

const POSITIVE: Record<FilterTest, Positive> = {
  is: 'is',
  is_not: 'is',
  contains: 'contains',
  lacks: 'contains',
  before: 'before',
  after: 'after',
  empty: 'filled',
  filled: 'filled',
};
type Positive = 'is' | 'contains' | 'before' | 'after' | 'filled';

/** By its id or its name. */
function holdsOfList({ list }: Row, test: FilterTest, wanted: unknown): boolean {
  if (test === 'filled' || test === 'empty') return (list !== null) === (test === 'filled');
  const name = nameKey(String(wanted));
  const isNegated = test === 'is_not' || test === 'lacks';
  const isIt =
    list !== null &&
    (list.id === wanted || list.nameKey === name || (test === 'contains' && list.nameKey.includes(name)));
  return isIt !== isNegated;
}

interface Reading {
  readonly calendar: Calendar;
  readonly keys: RowKeys;
}

function holds(value: unknown, test: Positive, wanted: unknown, reading: Reading): boolean {
  const { keys } = reading;
  if (test === 'filled') return isFilled(value);
  if (Array.isArray(value)) return (value as string[]).some((one) => keys.of(one) === keys.of(String(wanted)));
  if (test === 'contains') return typeof value === 'string' && keys.of(value).includes(keys.of(String(wanted)));
  const order = compareWith(value, wanted, reading);
  if (order === null) return false;
  if (test === 'is') return order === 0;
  return test === 'before' ? order < 0 : order > 0;
}

function isFilled(value: unknown): boolean {
  return (
    value !== null &&
    value !== undefined &&
    value !== '' &&
    value !== false &&
    !(Array.isArray(value) && value.length === 0)
  );
}

/** Below 0: the value comes before what is wanted. Null: they cannot be compared. */
function compareWith(value: unknown, wanted: unknown, reading: Reading): number | null {
  if (value === null || value === undefined) return null;
  if (typeof value === 'boolean') return String(value) === String(wanted) ? 0 : null;
  if (typeof value === 'number') return Number.isNaN(Number(wanted)) ? null : value - Number(wanted);
  return compareTexts(String(value), String(wanted), reading);
}

/** Two moments to the millisecond, a day with a day or a moment by the day, other texts by their letters. */
function compareTexts(value: string, wanted: string, { calendar, keys }: Reading): number {
  const [day, wantedDay] = [calendar.dayIn(value), calendar.dayIn(wanted)];
  if (day === null || wantedDay === null) return order(keys.of(value), keys.of(wanted));
  const isExact = value.length > 10 && wanted.length > 10;
  return isExact ? Date.parse(value) - Date.parse(wanted) : order(day, wantedDay);
}

export function order<T extends string | number>(one: T, other: T): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
