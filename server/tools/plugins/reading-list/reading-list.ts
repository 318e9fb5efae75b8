import { z } from 'zod';
import { defineTool } from '../../define-tool.ts';
import { commandOf, type Plugin } from '../../plugin.ts';
import { skillPathOf } from '../../skills.ts';
import { Before, ItemId, Limit, Query, Tags } from '../fields.ts';
import type { Item, KeptItems } from '../items.ts';
import { dayOf, hasTag, headingFor, indent, matcherOf, oneLine, showPage, tagList, takePage } from '../listing.ts';

export interface Link {
  url: string;
  tags: string[];
  readAt: number | null;
}
type Entry = Item<Link>;

const ID = 'reading-list';
const source = { kind: 'built-in', id: ID } as const;

const Address = z.url({ protocol: /^https?$/, error: 'must be an http or https URL' }).max(2000);
const Title = z.string().trim().max(500);
const Note = z.string().trim().max(4000);
const Status = z.enum(['unread', 'read', 'all']);

export function readingListPlugin(links: KeptItems<Link>): Plugin {
  return {
    id: ID,
    description: 'Links to read later: add, find, mark as read.',
    skillPath: skillPathOf(ID),
    command: commandOf(ID),
    tools: [add(links), list(links), search(links), markRead(links), update(links), remove(links)],
  };
}

function add(links: KeptItems<Link>) {
  const input = z.strictObject({
    url: Address,
    title: Title.optional(),
    note: Note.optional(),
    tags: Tags.default([]),
  });
  return defineTool(
    {
      name: 'reading_list_add',
      description: 'Add a link to the reading list. A link that is already on it is not added again.',
      input,
      capabilities: ['lists.append'],
      risk: 'write',
      atomic: true,
      source,
      operation: 'add',
    },
    async ({ url, title, note, tags }, context) => {
      const link = { title: oneLine(title ?? '', 500), text: note ?? '', data: { url, tags, readAt: null } };
      const { item, isNew } = await links.add(context, link);
      return `${isNew ? 'Added' : 'Already on the list'}:\n${show(item)}`;
    },
  );
}

function list(links: KeptItems<Link>) {
  const tag = z.string().optional();
  const input = z.strictObject({ status: Status.default('unread'), tag, limit: Limit, before: Before });
  return defineTool(
    {
      name: 'reading_list_list',
      description: 'List the reading list, newest first. Shows unread links by default.',
      input,
      capabilities: ['lists.read'],
      risk: 'read',
      source,
      operation: 'list',
    },
    async ({ status, tag, limit, before }, context) => {
      const passes = (item: Entry) => hasStatus(item, status) && hasTag(item, tag);
      const page = await takePage(links.all(context, before), passes, limit);
      const kind = status === 'all' ? 'link' : `${status} link`;
      return showPage(headingFor(page.items.length, kind), page, show);
    },
  );
}

function search(links: KeptItems<Link>) {
  const input = z.strictObject({ query: Query, status: Status.default('all'), limit: Limit });
  return defineTool(
    {
      name: 'reading_list_search',
      description: 'Search links by title, URL, note and tags for all of the words.',
      input,
      capabilities: ['lists.read'],
      risk: 'read',
      source,
      operation: 'search',
    },
    async ({ query, status, limit }, context) => {
      const matches = matcherOf(query);
      const passes = (item: Entry) =>
        hasStatus(item, status) && matches(item.title, item.text, item.data.url, ...item.data.tags);
      const page = await takePage(links.all(context), passes, limit);
      return showPage(headingFor(page.items.length, 'matching link'), page, show, false);
    },
  );
}

function markRead(links: KeptItems<Link>) {
  const read = z.boolean().default(true).describe('false marks it as unread');
  return defineTool(
    {
      name: 'reading_list_mark_read',
      description: 'Mark a link as read or unread.',
      input: z.strictObject({ id: ItemId, read }),
      capabilities: ['lists.mark'],
      risk: 'write',
      atomic: true,
      source,
      operation: 'mark-read',
    },
    async ({ id, read }, context) => {
      const item = await links.change(context, id, (known) => ({
        ...known,
        data: { ...known.data, readAt: read ? (known.data.readAt ?? Date.now()) : null },
      }));
      return `Marked as ${read ? 'read' : 'unread'}:\n${show(item)}`;
    },
  );
}

function update(links: KeptItems<Link>) {
  const fields = { url: Address, title: Title, note: Note, tags: Tags.describe('Replaces all tags') };
  return defineTool(
    {
      name: 'reading_list_update',
      description: 'Change a link on the reading list. Omitted fields stay as they are.',
      input: z.strictObject({ id: ItemId, ...z.object(fields).partial().shape }),
      capabilities: ['lists.write'],
      risk: 'write',
      atomic: true,
      source,
      operation: 'update',
    },
    async ({ id, url, title, note, tags }, context) => {
      const item = await links.change(context, id, ({ title: oldTitle, text, data }) => ({
        title: title === undefined ? oldTitle : oneLine(title, 500),
        text: note ?? text,
        data: { ...data, url: url ?? data.url, tags: tags ?? data.tags },
      }));
      return `Changed:\n${show(item)}`;
    },
  );
}

function remove(links: KeptItems<Link>) {
  return defineTool(
    {
      name: 'reading_list_delete',
      description: 'Delete a link from the reading list.',
      input: z.strictObject({ id: ItemId }),
      capabilities: ['lists.write'],
      risk: 'write',
      atomic: true,
      source,
      operation: 'delete',
    },
    async ({ id }, context) => {
      await links.remove(context, id);
      return `Deleted ${id}.`;
    },
  );
}

function hasStatus({ data }: Entry, status: z.infer<typeof Status>): boolean {
  return status === 'all' || (status === 'read') === (data.readAt !== null);
}

function show({ id, title, text, data, createdAt }: Entry): string {
  const state = data.readAt === null ? `added ${dayOf(createdAt)}` : `read ${dayOf(data.readAt)}`;
  const names = [title, data.url && `<${data.url}>`].filter(Boolean).join(' ');
  const line = `[${id}] ${names} (${state})${tagList(data.tags)}`;
  return text ? `${line}\n${indent(text)}` : line;
}
