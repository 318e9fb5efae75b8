import { z } from 'zod';
import type { ListItem } from '../../../contract/lists.ts';
import { nameKey } from '../../storage/name-key.ts';
import { Limit, Query } from '../../tools/plugins/fields.ts';
import { headingFor, matcherOf, oneLine } from '../../tools/plugins/listing.ts';
import type { Tool } from '../../tools/tool.ts';
import type { Artifacts } from '../artifacts.ts';
import { artifactTool, nameOf, text, Wanted } from './artifact-tool.ts';
import { findItems, findOne, listPage, searchKept } from './find.ts';
import { fieldsLine, itemLine } from './item-lines.ts';

export function listReadingTools(artifacts: Artifacts): Tool[] {
  return [listLists(artifacts), showList(artifacts), readItem(artifacts), searchLists(artifacts)];
}

function listLists(artifacts: Artifacts): Tool {
  return artifactTool(
    'lists',
    {
      name: 'lists_list',
      description: "List the user's lists, most recently changed first.",
      input: z.strictObject({ limit: Limit, before: z.string().max(200).optional().describe('From an earlier page') }),
      capabilities: ['lists.read'],
      risk: 'read',
      operation: 'list',
    },
    async ({ limit, before }, context) => {
      const page = await listPage(artifacts, context, { kind: 'list', limit, before });
      const lines = page.artifacts.map(({ id, name, count }) => `[${id}] ${oneLine(name)} (${count} open)`);
      const more = page.next === null ? [] : [`More: use before ${page.next}.`];
      return text([headingFor(lines.length, 'list'), ...lines, ...more]);
    },
  );
}

const Status = z.enum(['open', 'done', 'all']);

function showList(artifacts: Artifacts): Tool {
  const input = z.strictObject({
    list: Wanted.describe('The list: its ID or its name'),
    status: Status.default('open'),
    tag: z.string().optional(),
    query: z.string().trim().max(500).default('').describe('Words that must all match'),
    limit: Limit,
    after: Wanted.optional().describe('The ID of the item to continue after, from an earlier page'),
  });
  return artifactTool(
    'lists',
    {
      name: 'lists_show',
      description: 'Show the items of a list in its order, with their IDs. Shows open items by default.',
      input,
      capabilities: ['lists.read'],
      risk: 'read',
      operation: 'show',
    },
    async ({ list: wanted, status, tag, query, limit, after }, context) => {
      const { id } = await findOne(artifacts, context, 'list', wanted);
      const list = await artifacts.lists.get(context.owner, id);
      const matches = matcherOf(query);
      const passes = (item: ListItem) =>
        hasStatus(item, status) &&
        (tag === undefined || item.tags.some((own) => nameKey(own) === nameKey(tag))) &&
        matches(item.title, item.notes, ...item.tags);
      const page = await takeAfter(artifacts.lists.all(context.owner, id), after, passes, limit);
      const about = list.fields.length > 0 ? [`Fields: ${fieldsLine(list.fields)}`] : [];
      const described = list.description ? [oneLine(list.description, 500)] : [];
      const kind = status === 'all' ? 'item' : `${status} item`;
      const lines = page.items.map((item) => itemLine(item, list.fields));
      const more = page.hasMore ? [`More: use after ${page.items.at(-1)!.id}.`] : [];
      const heading = `${nameOf(list)}, version ${list.version}, ${list.openCount} of ${list.itemCount} open`;
      return text([heading, ...described, ...about, headingFor(lines.length, kind), ...lines, ...more]);
    },
  );
}

function hasStatus({ doneAt }: ListItem, status: z.infer<typeof Status>): boolean {
  return status === 'all' || (status === 'done') === (doneAt !== null);
}

async function takeAfter(
  items: AsyncIterable<ListItem>,
  after: string | undefined,
  passes: (item: ListItem) => boolean,
  limit: number,
): Promise<{ items: ListItem[]; hasMore: boolean }> {
  const taken: ListItem[] = [];
  let isPast = after === undefined;
  for await (const item of items) {
    if (isPast && passes(item)) {
      if (taken.length === limit) return { items: taken, hasMore: true };
      taken.push(item);
    }
    isPast ||= item.id === after;
  }
  return { items: taken, hasMore: false };
}

function readItem(artifacts: Artifacts): Tool {
  return artifactTool(
    'lists',
    {
      name: 'lists_read_item',
      description: 'Read items in full, with all their notes.',
      input: z.strictObject({
        items: z.array(Wanted).min(1).max(50).describe('Item IDs; with list also titles'),
        list: Wanted.optional(),
      }),
      capabilities: ['lists.read'],
      risk: 'read',
      operation: 'read-item',
    },
    async ({ items, list }, context) => {
      const lines: string[] = [];
      for (const item of await findItems(artifacts, context, items, list)) {
        const { name, fields } = await artifacts.lists.get(context.owner, item.listId);
        lines.push(`In ${nameOf({ id: item.listId, name })}, version ${item.version}:`);
        lines.push(itemLine(item, fields, { whole: true }));
      }
      return text(lines);
    },
  );
}

function searchLists(artifacts: Artifacts): Tool {
  return artifactTool(
    'lists',
    {
      name: 'lists_search',
      description: 'Search all lists and their items for all of the words.',
      input: z.strictObject({ query: Query, limit: z.int().min(1).max(50).default(20) }),
      capabilities: ['lists.read'],
      risk: 'read',
      operation: 'search',
    },
    async ({ query, limit }, context) => {
      const hits = await searchKept(artifacts, context, { q: query, kind: 'list', limit });
      const lines = hits.map(({ artifact, itemId, title, snippet }) =>
        itemId === null
          ? `list ${nameOf(artifact)}: ${oneLine(snippet)}`
          : `[${itemId}] ${oneLine(title)} in ${nameOf(artifact)}: ${oneLine(snippet)}`,
      );
      return text([headingFor(lines.length, 'match').replace('matchs', 'matches'), ...lines]);
    },
  );
}
