import { Day } from '../../contract/artifacts.ts';
import { AppError } from '../../contract/errors.ts';
import { type FieldValue, LinkValue, type ListField } from '../../contract/lists.ts';
import { say } from '../../contract/texts.ts';
import type { ListItemRow } from '../storage/tables.ts';
import type { Fields } from './merge-fields.ts';
import { toTime } from './shapes.ts';

const VALUES = 'values.';

/** What an item consists of; its place and its list aside. */
export function itemFieldsOf(row: ListItemRow): Fields {
  const values = Object.entries(JSON.parse(row.field_values) as Record<string, FieldValue>);
  return {
    title: row.title,
    notes: row.notes,
    due: row.due,
    tags: JSON.parse(row.tags),
    doneAt: row.done_at === null ? null : toTime(row.done_at),
    ...Object.fromEntries(values.map(([id, value]) => [VALUES + id, value])),
  };
}

/** The same without what is empty, as the history has it. */
export function filledFieldsOf(row: ListItemRow): Fields {
  const filled = Object.entries(itemFieldsOf(row)).filter(
    ([, value]) => value !== null && value !== '' && !(Array.isArray(value) && value.length === 0),
  );
  return { ...Object.fromEntries(filled), rank: row.rank };
}

export function setItemFields(row: ListItemRow, changed: Fields): void {
  const { title, notes, due, tags, doneAt, ...rest } = changed;
  if (typeof title === 'string') row.title = title;
  if (typeof notes === 'string') row.notes = notes;
  if (due !== undefined) row.due = due as string | null;
  if (tags !== undefined) row.tags = JSON.stringify(tags ?? []);
  if (doneAt !== undefined) row.done_at = typeof doneAt === 'string' ? Date.parse(doneAt) : null;
  const values = Object.entries(rest).filter(([field]) => field.startsWith(VALUES));
  if (values.length === 0) return;
  const merged: Record<string, unknown> = JSON.parse(row.field_values);
  for (const [field, value] of values) {
    const id = field.slice(VALUES.length);
    if (value === null) delete merged[id];
    else merged[id] = value;
  }
  row.field_values = JSON.stringify(merged);
}

export function valueFields(values: Readonly<Record<string, FieldValue>>): Fields {
  return Object.fromEntries(Object.entries(values).map(([id, value]) => [VALUES + id, value]));
}

/** Every value has to fit a field of the list; null empties it. */
export function assertValues(fields: readonly ListField[], values: Readonly<Record<string, FieldValue>>): void {
  const byId = new Map(fields.map((field) => [field.id, field]));
  for (const [id, value] of Object.entries(values)) {
    const field = byId.get(id);
    const problem = field ? problemOf(field, value) : 'the list has no such field';
    if (problem) throw new AppError('artifact_value_invalid', say('artifact_value_invalid', { field: id, problem }));
  }
}

function problemOf({ type, choices = [] }: ListField, value: FieldValue): string | null {
  if (value === null) return null;
  switch (type) {
    case 'text':
      return typeof value === 'string' ? null : 'must be a text';
    case 'number':
      return typeof value === 'number' ? null : 'must be a number';
    case 'checkbox':
      return typeof value === 'boolean' ? null : 'must be true or false';
    case 'date':
      return Day.safeParse(value).success ? null : 'must be a date, for example 2026-01-31';
    case 'link':
      return LinkValue.safeParse(value).success ? null : 'must be an http, https or mailto URL';
    case 'choice':
      return choices.includes(value as string) ? null : `must be one of: ${choices.join(', ')}`;
  }
}
