import { setImmediate } from 'node:timers/promises';
import type { ArtifactPlugin } from '../../contract/artifacts.ts';
import type { ListField } from '../../contract/lists.ts';
import type { ViewQuery, ViewRows } from '../../contract/views.ts';
import type { ArtifactRow, Db } from '../storage/tables.ts';
import { Calendar } from './calendar.ts';
import { type RowTest, rowTest } from './filter-rows.ts';
import { selectAllLists, selectListsOf, selectRowItems, selectRowNotes } from './row-store.ts';
import { ItemRow, NOTE_BEGINNING, NoteAsRow, type Row, type RowList } from './rows.ts';
import { contentOf, type ListContent } from './shapes.ts';
import { type ChoiceOrder, sortRows } from './sort-rows.ts';

/** Rows that one query looks at, at most. */
const MOST_READ = 100_000;
/** Characters of the rows that a query finds: all of them are in memory at once. */
const MOST_FOUND = 32_000_000;
const PAGE = 1000;
const NOTES_PAGE = 100;
/** Of whole notes, which are read in one go. */
const WHOLE_NOTES_PAGE = 8;
/** Other work goes on after so long at the latest, apart from the work for one row. */
const MOST_AT_A_TIME_MS = 10;
const WHOLE_NOTE = 1_000_000;

export interface QueryRun {
  readonly query: ViewQuery;
  readonly limit: number;
  readonly timeZone: string | undefined;
  /** What these plugins keep is left out. */
  readonly hidden: readonly ArtifactPlugin[];
}

/** What a query finds now. Reads in pages, so that other work goes on meanwhile. */
export async function runQuery(db: Db, owner: string, run: QueryRun): Promise<ViewRows> {
  const { query, limit, timeZone } = run;
  const isShown = ({ plugin }: ArtifactRow) => !run.hidden.some((each) => each === plugin);
  const calendar = new Calendar(timeZone);
  const lists = (await readLists(db, owner, query)).filter(isShown).map(toRowList);
  const reader = new RowReader(db, owner, rowTest(query.filters, query.words, calendar));
  for (const list of lists) await reader.readItems(list, doneOf(query));
  if (query.notes) await reader.readNotes(looksIntoText(query), isShown);
  const { placed, isCut } = sortRows(reader.rows, { query, calendar, choices: choicesOf(lists) });
  const counts = new Map<string | null, number>();
  for (const { group } of query.group ? placed : []) counts.set(group, (counts.get(group) ?? 0) + 1);
  return {
    rows: placed.slice(0, limit).map(({ row, group }) => row.toView(group)),
    groups: [...counts].map(([value, count]) => ({ value, count })),
    fields: fieldsOf(lists),
    lists: lists.map(({ id, name }) => ({ id, name })),
    total: placed.length,
    isCut: reader.isCut || isCut || placed.length > limit,
  };
}

/** In the order in which the query names them, else by name. */
async function readLists(db: Db, owner: string, { lists }: ViewQuery): Promise<ArtifactRow[]> {
  if (lists === null) return selectAllLists(db, owner);
  const rows = lists.length === 0 ? [] : await selectListsOf(db, owner, JSON.stringify(lists));
  return rows.sort((a, b) => lists.indexOf(a.id) - lists.indexOf(b.id));
}

function toRowList(row: ArtifactRow): RowList {
  const { fields } = contentOf<ListContent>(row);
  const byId = new Map(fields.map((field) => [field.id, field]));
  return { id: row.id, name: row.name, nameKey: row.name_key, fields: byId, fieldIds: new Set(byId.keys()) };
}

/** Whether only items that are done can pass, or only others, so that the rest need not be read. */
function doneOf({ filters }: ViewQuery): keyof typeof selectRowItems {
  const filter = filters.find(({ field, test }) => field === 'done' && (test === 'is' || test === 'is_not'));
  if (filter && String(filter.value) === String(filter.test === 'is')) return 'done';
  return filter && String(filter.value) === String(filter.test !== 'is') ? 'open' : 'all';
}

function looksIntoText({ words, filters }: ViewQuery): boolean {
  return words.trim() !== '' || filters.some(({ field }) => field === 'notes');
}

class RowReader {
  readonly rows: Row[] = [];
  isCut = false;
  readonly #db: Db;
  readonly #owner: string;
  readonly #test: RowTest;
  #read = 0;
  #found = 0;

  constructor(db: Db, owner: string, test: RowTest) {
    this.#db = db;
    this.#owner = owner;
    this.#test = test;
  }

  async readItems(list: RowList, done: keyof typeof selectRowItems): Promise<void> {
    await this.#readPages(PAGE, '', async (after, limit) => {
      const rows = await selectRowItems[done](this.#db, this.#owner, list.id, after, limit);
      return { rows: rows.map((row) => new ItemRow(row, list)), read: rows.length, last: rows.at(-1)?.rank };
    });
  }

  async readNotes(whole: boolean, isShown: (note: ArtifactRow) => boolean): Promise<void> {
    const characters = whole ? WHOLE_NOTE : NOTE_BEGINNING;
    await this.#readPages(whole ? WHOLE_NOTES_PAGE : NOTES_PAGE, '', async (after, limit) => {
      const rows = await selectRowNotes(this.#db, characters, this.#owner, after, limit);
      return { rows: rows.filter(isShown).map((row) => new NoteAsRow(row)), read: rows.length, last: rows.at(-1)?.id };
    });
  }

  async #keep(rows: readonly Row[]): Promise<void> {
    let since = performance.now();
    for (const row of rows) {
      if (this.#test(row)) this.#add(row.shortened());
      if (performance.now() - since < MOST_AT_A_TIME_MS) continue;
      await setImmediate();
      since = performance.now();
    }
  }

  async #readPages(
    size: number,
    from: string,
    readPage: (after: string, limit: number) => Promise<{ rows: Row[]; read: number; last: string | undefined }>,
  ): Promise<void> {
    for (let after = from; !this.isCut; await setImmediate()) {
      const { rows, read, last } = await readPage(after, size);
      await this.#keep(rows);
      this.#read += read;
      if (read < size || last === undefined) return;
      after = last;
      this.isCut = this.#read >= MOST_READ || this.#found >= MOST_FOUND;
    }
  }

  #add(row: Row): void {
    if (this.#found >= MOST_FOUND) return;
    this.rows.push(row);
    this.#found += row.size;
  }
}

function choicesOf(lists: readonly RowList[]): ChoiceOrder {
  const orders = new Map<string, Map<string, number>>();
  for (const { fields } of lists) {
    for (const { id, choices = [] } of fields.values()) {
      const order = orders.get(`values.${id}`) ?? new Map<string, number>();
      for (const choice of choices) if (!order.has(choice)) order.set(choice, order.size);
      if (order.size > 0) orders.set(`values.${id}`, order);
    }
  }
  return orders;
}

/** A field of the same id, name and type is one field. */
function fieldsOf(lists: readonly RowList[]): ViewRows['fields'] {
  const fields = new Map<string, ListField & { listIds: string[] }>();
  for (const list of lists) {
    for (const field of list.fields.values()) {
      const key = JSON.stringify([field.id, field.name, field.type]);
      const known = fields.get(key) ?? { ...field, listIds: [] };
      const choices = [...new Set([...(known.choices ?? []), ...(field.choices ?? [])])];
      fields.set(key, { ...known, ...(choices.length > 0 && { choices }), listIds: [...known.listIds, list.id] });
    }
  }
  return [...fields.values()];
}
