import { z } from 'zod';
import { defineTool } from '../../define-tool.ts';
import { commandOf, type Plugin } from '../../plugin.ts';
import { skillPathOf } from '../../skills.ts';
import { Before, Day, ItemId, Limit, Query, Tags } from '../fields.ts';
import type { Item, KeptItems } from '../items.ts';
import { dayOf, hasTag, headingFor, matcherOf, oneLine, showPage, tagList, takePage } from '../listing.ts';

export interface Page {
  date: string;
  mood: string | null;
  tags: string[];
}
type Entry = Item<Page>;

const ID = 'journal';
const source = { kind: 'built-in', id: ID } as const;

const Text = z.string().trim().min(1).max(20_000);
const Title = z.string().trim().max(200);
const Mood = z.string().trim().max(50);

export function journalPlugin(entries: KeptItems<Page>): Plugin {
  return {
    id: ID,
    description: 'A personal journal: write, list and search entries.',
    skillPath: skillPathOf(ID),
    command: commandOf(ID),
    tools: [add(entries), list(entries), search(entries), read(entries), update(entries), remove(entries)],
  };
}

function add(entries: KeptItems<Page>) {
  const input = z.strictObject({
    text: Text,
    title: Title.default(''),
    date: Day.optional().describe('The day of the entry (default today)'),
    mood: Mood.optional(),
    tags: Tags.default([]),
  });
  return defineTool(
    {
      name: 'journal_add',
      description: 'Add a journal entry.',
      input,
      capabilities: ['journal.append'],
      risk: 'write',
      atomic: true,
      source,
      operation: 'add',
    },
    async ({ text, title, date, mood, tags }, context) => {
      const data = { date: date ?? dayOf(Date.now()), mood: mood ?? null, tags };
      const { item } = await entries.add(context, { title: oneLine(title), text, data });
      return `Written:\n${headOf(item)}`;
    },
  );
}

function list(entries: KeptItems<Page>) {
  const input = z.strictObject({
    from: Day.optional().describe('First day'),
    to: Day.optional().describe('Last day'),
    tag: z.string().optional(),
    limit: Limit,
    before: Before,
  });
  return defineTool(
    {
      name: 'journal_list',
      description: 'List journal entries, most recently written first, with the start of each.',
      input,
      capabilities: ['journal.read'],
      risk: 'read',
      source,
      operation: 'list',
    },
    async ({ from = '', to = '9999-12-31', tag, limit, before }, context) => {
      const passes = (item: Entry) => item.data.date >= from && item.data.date <= to && hasTag(item, tag);
      const page = await takePage(entries.all(context, before), passes, limit);
      return showPage(headingFor(page.items.length, 'journal page'), page, preview);
    },
  );
}

function search(entries: KeptItems<Page>) {
  return defineTool(
    {
      name: 'journal_search',
      description: 'Search journal entries for all of the words.',
      input: z.strictObject({ query: Query, limit: Limit }),
      capabilities: ['journal.read'],
      risk: 'read',
      source,
      operation: 'search',
    },
    async ({ query, limit }, context) => {
      const matches = matcherOf(query);
      const passes = ({ title, text, data }: Entry) => matches(title, text, data.date, data.mood ?? '', ...data.tags);
      const page = await takePage(entries.all(context), passes, limit);
      return showPage(headingFor(page.items.length, 'matching journal page'), page, preview, false);
    },
  );
}

function read(entries: KeptItems<Page>) {
  return defineTool(
    {
      name: 'journal_read',
      description: 'Read one journal entry in full.',
      input: z.strictObject({ id: ItemId }),
      capabilities: ['journal.read'],
      risk: 'read',
      source,
      operation: 'read',
    },
    async ({ id }, context) => {
      const item = await entries.get(context, id);
      return `${headOf(item)}\n\n${item.text}`;
    },
  );
}

function update(entries: KeptItems<Page>) {
  const fields = { text: Text, title: Title, date: Day, mood: Mood, tags: Tags.describe('Replaces all tags') };
  return defineTool(
    {
      name: 'journal_update',
      description: 'Change a journal entry. Omitted fields stay as they are.',
      input: z.strictObject({ id: ItemId, ...z.object(fields).partial().shape }),
      capabilities: ['journal.write'],
      risk: 'write',
      atomic: true,
      source,
      operation: 'update',
    },
    async ({ id, text, title, date, mood, tags }, context) => {
      const item = await entries.change(context, id, (known) => ({
        title: title === undefined ? known.title : oneLine(title),
        text: text ?? known.text,
        data: { date: date ?? known.data.date, mood: mood ?? known.data.mood, tags: tags ?? known.data.tags },
      }));
      return `Changed:\n${headOf(item)}`;
    },
  );
}

function remove(entries: KeptItems<Page>) {
  return defineTool(
    {
      name: 'journal_delete',
      description: 'Delete a journal entry.',
      input: z.strictObject({ id: ItemId }),
      capabilities: ['journal.write'],
      risk: 'write',
      atomic: true,
      source,
      operation: 'delete',
    },
    async ({ id }, context) => {
      await entries.remove(context, id);
      return `Deleted ${id}.`;
    },
  );
}

function headOf({ id, title, data }: Entry): string {
  const mood = data.mood ? ` (${oneLine(data.mood)})` : '';
  return `[${id}] ${data.date}${title ? ` ${title}` : ''}${mood}${tagList(data.tags)}`;
}

function preview(item: Entry): string {
  return `${headOf(item)}\n  ${oneLine(item.text)}`;
}
