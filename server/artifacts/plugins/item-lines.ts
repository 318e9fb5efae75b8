import type { FieldValue, ListField, ListItem } from '../../../contract/lists.ts';
import { indent, oneLine, tagList } from '../../tools/plugins/listing.ts';

const MOST_NOTES = 300;

/** `[id] [x] title (due 2026-01-31, Rating: 4) #tag`, and what the notes begin with. */
export function itemLine(item: ListItem, fields: readonly ListField[], { whole = false } = {}): string {
  const values = fields.flatMap(({ id, name }) => {
    const value = item.values[id];
    return value === undefined || value === null ? [] : [`${oneLine(name, 50)}: ${showValue(value)}`];
  });
  const facts = [...(item.due === null ? [] : [`due ${item.due}`]), ...values];
  const about = facts.length > 0 ? ` (${facts.join(', ')})` : '';
  const line = `[${item.id}] ${item.doneAt === null ? '[ ]' : '[x]'} ${oneLine(item.title)}${about}${tagList(item.tags)}`;
  if (item.notes === '') return line;
  return `${line}\n${indent(whole ? item.notes : oneLine(item.notes, MOST_NOTES))}`;
}

function showValue(value: FieldValue): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return oneLine(String(value), 200);
}

/** `url (link), state (choice: new, old)` */
export function fieldsLine(fields: readonly ListField[]): string {
  return fields
    .map(
      ({ id, name, type, choices }) =>
        `${id} "${oneLine(name, 50)}" (${type}${choices ? `: ${choices.join(', ')}` : ''})`,
    )
    .join(', ');
}
