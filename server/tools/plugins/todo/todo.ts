import { z } from 'zod';
import { defineTool } from '../../define-tool.ts';
import { commandOf, type Plugin } from '../../plugin.ts';
import { skillPathOf } from '../../skills.ts';
import type { ToolContext } from '../../tool.ts';
import { Day, ItemId, Limit, Tags } from '../fields.ts';
import type { Item, KeptItems } from '../items.ts';
import { dayOf, hasTag, headingFor, indent, matcherOf, oneLine, tagList } from '../listing.ts';

export interface Todo {
  /** A day, or a moment with its zone. */
  due: string | null;
  priority: 'low' | 'normal' | 'high';
  tags: string[];
  doneAt: number | null;
}
export type Entry = Item<Todo>;

const ID = 'todo';
const source = { kind: 'built-in', id: ID } as const;

const Title = z.string().trim().min(1).max(500);
const Notes = z.string().trim().max(4000);
const Due = z.union([Day, z.iso.datetime({ offset: true })], {
  error: 'must be a date (2026-01-31) or a time with a time zone (2026-01-31T09:00:00+01:00)',
});
const DUE_WORDS = 'A date (2026-01-31) or a time with a time zone (2026-01-31T09:00:00Z)';
const Priority = z.enum(['low', 'normal', 'high']);

export function todoPlugin(todos: KeptItems<Todo>): Plugin {
  return {
    id: ID,
    description: 'To-dos with due dates: add, list, complete.',
    skillPath: skillPathOf(ID),
    command: commandOf(ID),
    tools: [add(todos), list(todos), complete(todos), update(todos), remove(todos)],
  };
}

function add(todos: KeptItems<Todo>) {
  const input = z.strictObject({
    title: Title,
    notes: Notes.optional(),
    due: Due.optional().describe(DUE_WORDS),
    priority: Priority.default('normal'),
    tags: Tags.default([]),
  });
  return defineTool(
    {
      name: 'todo_add',
      description: 'Add a to-do.',
      input,
      capabilities: ['todos.append'],
      risk: 'write',
      atomic: true,
      source,
      operation: 'add',
    },
    async ({ title, notes, due, priority, tags }, context) => {
      const data = { due: due ?? null, priority, tags, doneAt: null };
      const { item } = await todos.add(context, { title: oneLine(title, 500), text: notes ?? '', data });
      return `Added:\n${show(item)}`;
    },
  );
}

function list(todos: KeptItems<Todo>) {
  const input = z.strictObject({
    status: z.enum(['open', 'done', 'all']).default('open'),
    due: z.enum(['overdue', 'today', 'week']).optional().describe('today and week include overdue to-dos'),
    tag: z.string().optional(),
    query: z.string().trim().max(500).default('').describe('Words that must all match'),
    limit: Limit,
  });
  return defineTool(
    {
      name: 'todo_list',
      description: 'List to-dos, earliest due date first. Shows open to-dos by default.',
      input,
      capabilities: ['todos.read'],
      risk: 'read',
      source,
      operation: 'list',
    },
    async ({ status, due, tag, query, limit }, context) => {
      const matches = matcherOf(query);
      const passes = (item: Entry) =>
        hasStatus(item, status) &&
        isDue(item, due, Date.now()) &&
        hasTag(item, tag) &&
        matches(item.title, item.text, ...item.data.tags);
      return showAll(await gather(todos, context, passes), status, limit);
    },
  );
}

function complete(todos: KeptItems<Todo>) {
  const done = z.boolean().default(true).describe('false reopens it');
  return defineTool(
    {
      name: 'todo_complete',
      description: 'Mark a to-do as done, or reopen it.',
      input: z.strictObject({ id: ItemId, done }),
      capabilities: ['todos.mark'],
      risk: 'write',
      atomic: true,
      source,
      operation: 'complete',
    },
    async ({ id, done }, context) => {
      const item = await todos.change(context, id, (known) => ({
        ...known,
        data: { ...known.data, doneAt: done ? (known.data.doneAt ?? Date.now()) : null },
      }));
      return `${done ? 'Done' : 'Reopened'}:\n${show(item)}`;
    },
  );
}

function update(todos: KeptItems<Todo>) {
  const input = z.strictObject({
    id: ItemId,
    title: Title.optional(),
    notes: Notes.optional(),
    due: Due.nullable().optional().describe(`${DUE_WORDS}; null removes it`),
    priority: Priority.optional(),
    tags: Tags.optional().describe('Replaces all tags'),
  });
  return defineTool(
    {
      name: 'todo_update',
      description: 'Change a to-do. Omitted fields stay as they are.',
      input,
      capabilities: ['todos.write'],
      risk: 'write',
      atomic: true,
      source,
      operation: 'update',
    },
    async ({ id, title, notes, due, priority, tags }, context) => {
      const item = await todos.change(context, id, ({ title: oldTitle, text, data }) => ({
        title: title === undefined ? oldTitle : oneLine(title, 500),
        text: notes ?? text,
        data: {
          ...data,
          due: due === undefined ? data.due : due,
          priority: priority ?? data.priority,
          tags: tags ?? data.tags,
        },
      }));
      return `Changed:\n${show(item)}`;
    },
  );
}

function remove(todos: KeptItems<Todo>) {
  return defineTool(
    {
      name: 'todo_delete',
      description: 'Delete a to-do. To mark it as done, use complete instead.',
      input: z.strictObject({ id: ItemId }),
      capabilities: ['todos.write'],
      risk: 'write',
      atomic: true,
      source,
      operation: 'delete',
    },
    async ({ id }, context) => {
      await todos.remove(context, id);
      return `Deleted ${id}.`;
    },
  );
}

async function gather(
  todos: KeptItems<Todo>,
  context: ToolContext,
  passes: (item: Entry) => boolean,
): Promise<Entry[]> {
  const found: Entry[] = [];
  for await (const item of todos.all(context)) if (passes(item)) found.push(item);
  return found.sort(inOrder);
}

function showAll(found: readonly Entry[], status: string, limit: number): string {
  const kind = status === 'all' ? 'todo' : `${status} todo`;
  const rest = found.length - limit;
  const lines = [headingFor(found.length, kind), ...found.slice(0, limit).map(show)];
  return (rest > 0 ? [...lines, `and ${rest} more`] : lines).join('\n');
}

function hasStatus({ data }: Entry, status: 'open' | 'done' | 'all'): boolean {
  return status === 'all' || (status === 'done') === (data.doneAt !== null);
}

function show(item: Entry): string {
  const { id, title, text, data } = item;
  const facts = [
    data.doneAt !== null && `done ${dayOf(data.doneAt)}`,
    data.due !== null && showDue(item, Date.now()),
    data.priority !== 'normal' && `${data.priority} priority`,
  ].filter(Boolean);
  const line = `[${id}] ${title}${facts.length > 0 ? ` (${facts.join(', ')})` : ''}${tagList(data.tags)}`;
  return text ? `${line}\n${indent(text)}` : line;
}

const DAY_MS = 86_400_000;
const DAYS = { overdue: 0, today: 1, week: 7 } as const;

/** Whether it is open and due in the time that is asked about; everything passes when none is. */
function isDue(item: Entry, when: keyof typeof DAYS | undefined, now: number): boolean {
  if (when === undefined) return true;
  if (item.data.due === null || item.data.doneAt !== null) return false;
  if (when === 'overdue') return isOverdue(item, now);
  return Date.parse(item.data.due) < startOfDay(now) + DAYS[when] * DAY_MS;
}

function showDue(item: Entry, now: number): string {
  return `${isOverdue(item, now) ? 'overdue since' : 'due'} ${item.data.due}`;
}

const URGENCY = { high: 0, normal: 1, low: 2 } as const;

/** Open before done, due before undated, urgent before the rest, older before newer. */
function inOrder(a: Entry, b: Entry): number {
  return (
    Number(a.data.doneAt !== null) - Number(b.data.doneAt !== null) ||
    compare(dueTime(a), dueTime(b)) ||
    URGENCY[a.data.priority] - URGENCY[b.data.priority] ||
    compare(a.id, b.id)
  );
}

/** A day is over when the next one begins. Days are those of UTC, like every time that is shown. */
function isOverdue({ data }: Entry, now: number): boolean {
  if (data.due === null || data.doneAt !== null) return false;
  const isDay = data.due.length === 10;
  return Date.parse(data.due) + (isDay ? DAY_MS : 0) <= now;
}

function startOfDay(now: number): number {
  return now - (now % DAY_MS);
}

function dueTime({ data }: Entry): number {
  return data.due === null ? Number.POSITIVE_INFINITY : Date.parse(data.due);
}

function compare<T extends number | string>(a: T, b: T): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
