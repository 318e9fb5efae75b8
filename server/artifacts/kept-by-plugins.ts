import type { ListItemRow } from '../storage/tables.ts';
import type { KeptByPlugins } from '../tools/plugins/built-in.ts';
import type { Link } from '../tools/plugins/reading-list/reading-list.ts';
import type { Todo } from '../tools/plugins/todo/todo.ts';
import type { ArtifactLog } from './changing.ts';
import { type KeptAs, KeptListItems } from './kept-items.ts';
import { KeptPages } from './kept-notes.ts';
import { toTime } from './shapes.ts';

const MOST_TITLE = 500;

const TODOS: KeptAs<Todo> = {
  plugin: 'todo',
  listName: 'To-dos',
  word: 'todo',
  fields: [{ id: 'priority', name: 'Priority', type: 'choice', choices: ['low', 'normal', 'high'] }],
  toFields: ({ title, text, data: { due, priority, tags, doneAt } }) => ({
    title,
    notes: text,
    due,
    tags,
    doneAt: doneAt === null ? null : toTime(doneAt),
    'values.priority': priority === 'normal' ? null : priority,
  }),
  toThing: (row) => {
    const { priority } = valuesOf(row);
    const known = priority === 'low' || priority === 'high' ? priority : 'normal';
    const { due, done_at: doneAt } = row;
    return { title: row.title, text: row.notes, data: { due, priority: known, tags: tagsOf(row), doneAt } };
  },
};

/** A link without a title is called by its address. */
const LINKS: KeptAs<Link> = {
  plugin: 'reading-list',
  listName: 'Reading list',
  word: 'link',
  fields: [{ id: 'url', name: 'Link', type: 'link' }],
  toFields: ({ title, text, data: { url, tags, readAt } }) => ({
    title: title || url.slice(0, MOST_TITLE),
    notes: text,
    tags,
    doneAt: readAt === null ? null : toTime(readAt),
    'values.url': url || null,
  }),
  toThing: (row) => {
    const url = String(valuesOf(row).url ?? '');
    const title = row.title === url.slice(0, MOST_TITLE) ? '' : row.title;
    return { title, text: row.notes, data: { url, tags: tagsOf(row), readAt: row.done_at } };
  },
  urlOf: ({ data }) => data.url,
};

function valuesOf(row: ListItemRow): Record<string, unknown> {
  return JSON.parse(row.field_values) as Record<string, unknown>;
}

function tagsOf(row: ListItemRow): string[] {
  return JSON.parse(row.tags) as string[];
}

/** To-dos and links are items of a list each, the pages of the journal are notes. */
export function keptByPlugins(log: ArtifactLog): KeptByPlugins {
  return { todos: new KeptListItems(log, TODOS), links: new KeptListItems(log, LINKS), pages: new KeptPages(log) };
}
