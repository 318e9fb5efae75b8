import type { RowField, View, ViewQuery, ViewRow, ViewRows } from '../../../../contract/views.ts';
import { shownValue } from '../../../artifacts/conflict-dialog.tsx';
import { dueWords, isDay } from '../../../artifacts/due.ts';
import type { PanelTextKey } from '../../../i18n/en.ts';
import { text } from '../../../i18n/panel-words.ts';

/** A row is an item of a list or a note: what both have. */
export function idOf(row: ViewRow): string {
  return row.kind === 'item' ? row.item.id : row.note.id;
}

export function titleOf(row: ViewRow): string {
  return row.kind === 'item' ? row.item.title : row.note.title;
}

export function isDone(row: ViewRow): boolean {
  return row.kind === 'item' && row.item.doneAt !== null;
}

const VALUES = 'values.';

/** What stands in a column, as words. */
export function cellOf(row: ViewRow, field: RowField, { lists }: Pick<ViewRows, 'lists'>): string {
  const common = row.kind === 'item' ? row.item : row.note;
  switch (field) {
    case 'title':
      return common.title;
    case 'notes':
      return common.notes;
    case 'tags':
      return common.tags.join(', ');
    case 'done':
      return row.kind === 'item' ? text(isDone(row) ? 'view.yes' : 'view.no') : '';
    case 'due':
      return row.kind === 'item' && row.item.due !== null ? dueWords(row.item.due) : '';
    case 'date':
      return row.kind === 'note' ? (row.note.date ?? '') : '';
    case 'list':
      return row.kind === 'item' ? (lists.find(({ id }) => id === row.item.listId)?.name ?? '') : '';
    case 'kind':
      return text(row.kind === 'item' ? 'view.kind.item' : 'view.kind.note');
    case 'created':
      return dueWords(common.createdAt);
    case 'updated':
      return dueWords(common.updatedAt);
    default:
      return row.kind === 'item' ? shownValue(row.item.values[field.slice(VALUES.length)]) : '';
  }
}

/** The day on which a calendar shows a row; null: on none. */
export function dayOfRow(row: ViewRow, field: RowField | null): string | null {
  const value = dateIn(row, field ?? (row.kind === 'item' ? 'due' : 'date'));
  if (!value) return null;
  return isDay(value) ? value : localDay(value);
}

function dateIn(row: ViewRow, field: RowField): string | null {
  if (field === 'created') return row.kind === 'item' ? row.item.createdAt : row.note.createdAt;
  if (field === 'updated') return row.kind === 'item' ? row.item.updatedAt : row.note.updatedAt;
  if (row.kind === 'note') return field === 'date' ? row.note.date : null;
  if (field === 'due') return row.item.due;
  const value = field.startsWith(VALUES) ? row.item.values[field.slice(VALUES.length)] : null;
  return typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value) ? value : null;
}

function localDay(moment: string): string {
  const at = new Date(moment);
  if (Number.isNaN(at.getTime())) return '';
  return [at.getFullYear(), at.getMonth() + 1, at.getDate()].map((part) => String(part).padStart(2, '0')).join('-');
}

const OWN: readonly RowField[] = [
  'title',
  'done',
  'due',
  'tags',
  'list',
  'notes',
  'kind',
  'date',
  'created',
  'updated',
];

/** Every field that rows can have, the lists' own ones last. */
export function fieldsIn({ fields }: Pick<ViewRows, 'fields'>): readonly RowField[] {
  return [...OWN, ...fields.map(({ id }) => `${VALUES}${id}` as RowField)];
}

export function fieldName(field: RowField, { fields }: Pick<ViewRows, 'fields'>): string {
  if (!field.startsWith(VALUES)) return text(`field.${field}` as PanelTextKey);
  const id = field.slice(VALUES.length);
  return fields.find((one) => one.id === id)?.name ?? id;
}

/** A choice that fits, where the view names no columns. */
export function columnsOf({ columns }: Pick<View, 'columns'>, rows: ViewRows): readonly RowField[] {
  if (columns.length > 0) return columns.includes('title') ? columns : ['title', ...columns];
  const own = rows.fields.slice(0, 4).map(({ id }) => `${VALUES}${id}` as RowField);
  return ['title', 'done', 'due', 'tags', ...(rows.lists.length > 1 ? (['list'] as const) : []), ...own];
}

/** What a group is called. */
export function groupName(value: string | null, field: RowField | null, rows: ViewRows): string {
  if (value === null || value === '') return text('view.noGroup');
  if (field === 'list') return rows.lists.find(({ id }) => id === value)?.name ?? value;
  if (field === 'done') return text(value === 'true' ? 'field.done' : 'view.open');
  if (field === 'due' || field === 'date' || field === 'created' || field === 'updated')
    return dueWords(value.slice(0, 10));
  return value;
}

/** What has to change in an item so that it is in a group; null: it cannot be put there. */
export function patchFor(field: RowField | null, value: string | null, rows: ViewRows) {
  if (field === 'done') return { done: value === 'true' };
  if (field === 'due' && (value === null || isDay(value))) return { due: value };
  if (!field?.startsWith(VALUES)) return null;
  const id = field.slice(VALUES.length);
  const type = rows.fields.find((one) => one.id === id)?.type;
  if (value === null) return { values: { [id]: null } };
  if (type === 'checkbox') return { values: { [id]: value === 'true' } };
  return { values: { [id]: type === 'number' ? Number(value) : value } };
}

/** A query in one line, for agents. */
export function queryWords(query: ViewQuery): string {
  return JSON.stringify(query).slice(0, 4000);
}
