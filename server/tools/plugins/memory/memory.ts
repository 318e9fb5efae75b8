import { z } from 'zod';
import type { Db } from '../../../storage/tables.ts';
import { defineTool } from '../../define-tool.ts';
import { commandOf, type Plugin } from '../../plugin.ts';
import { skillPathOf } from '../../skills.ts';
import { type ToolContext, ToolFailure } from '../../tool.ts';
import { Before, ItemId, Limit, Query, Tags } from '../fields.ts';
import { type Item, Items, type Whose } from '../items.ts';
import { dayOf, hasTag, headingFor, indent, matcherOf, oneLine, showPage, tagList, takePage } from '../listing.ts';

interface Memory {
  tags: string[];
}
type Entry = Item<Memory>;

const ID = 'memory';
const source = { kind: 'built-in', id: ID } as const;
/** Also the name under which the memory of a deleted agent is kept, like `twin~20260131T120000000Z`. */
const Agent = z
  .string()
  .max(200)
  .regex(/^[A-Za-z0-9._/~-]+$/, 'must be the id of an agent')
  .optional()
  .describe('For users only: the agent whose memory to use');

/** Every agent has its own, and sees no other. */
export function memoryPlugin(db: Db): Plugin {
  const memories = new Items<Memory>(db, ID, 'memory');
  return {
    id: ID,
    description: 'What an agent remembers across sessions. Every agent has its own memory.',
    skillPath: skillPathOf(ID),
    command: commandOf(ID),
    tools: [save(memories), search(memories), list(memories), forget(memories)],
  };
}

function save(memories: Items<Memory>) {
  const input = z.strictObject({
    text: z.string().trim().min(1).max(4000).describe('One fact, complete in itself'),
    topic: z.string().trim().max(200).default(''),
    tags: Tags.default([]),
  });
  return defineTool(
    {
      name: 'memory_save',
      description: 'Remember something for later sessions. Only you and users can see it.',
      input,
      capabilities: ['memory.append'],
      risk: 'write',
      source,
      operation: 'save',
    },
    async ({ text, topic, tags }, context) => {
      const memory = { title: oneLine(topic), text, data: { tags } };
      const { item, isNew } = await memories.add(holderOf(context), memory, ['text', text]);
      return isNew ? `Remembered as [${item.id}].` : `Already remembered as [${item.id}].`;
    },
  );
}

function search(memories: Items<Memory>) {
  return defineTool(
    {
      name: 'memory_search',
      description: 'Search what you remember for all of the words.',
      input: z.strictObject({ query: Query, limit: Limit, agent: Agent }),
      capabilities: ['memory.read'],
      risk: 'read',
      source,
      operation: 'search',
    },
    async ({ query, limit, agent }, context) => {
      const matches = matcherOf(query);
      const passes = ({ title, text, data }: Entry) => matches(title, text, ...data.tags);
      const page = await takePage(memories.all(holderOf(context, agent)), passes, limit);
      return showPage(headingFor(page.items.length, 'matching note'), page, show, false);
    },
  );
}

function list(memories: Items<Memory>) {
  const input = z.strictObject({ tag: z.string().optional(), limit: Limit, before: Before, agent: Agent });
  return defineTool(
    {
      name: 'memory_list',
      description: 'List what you remember, newest first.',
      input,
      capabilities: ['memory.read'],
      risk: 'read',
      source,
      operation: 'list',
    },
    async ({ tag, limit, before, agent }, context) => {
      const all = memories.all(holderOf(context, agent), before);
      const page = await takePage(all, (item) => hasTag(item, tag), limit);
      return showPage(headingFor(page.items.length, 'note'), page, show);
    },
  );
}

function forget(memories: Items<Memory>) {
  return defineTool(
    {
      name: 'memory_forget',
      description: 'Forget one thing permanently.',
      input: z.strictObject({ id: ItemId, agent: Agent }),
      capabilities: ['memory.write'],
      risk: 'write',
      source,
      operation: 'forget',
    },
    async ({ id, agent }, context) => {
      await memories.remove(holderOf(context, agent), id);
      return `Forgotten: ${id}.`;
    },
  );
}

/** An agent reaches only its own memory; a person may name an agent. */
function holderOf({ owner, agentId }: ToolContext, wanted?: string): Whose {
  if (agentId === null) return { owner, holder: wanted ?? '' };
  if (wanted !== undefined && wanted !== agentId) {
    throw new ToolFailure('An agent can see only its own memory.', 'not_allowed');
  }
  return { owner, holder: agentId };
}

function show({ id, title, text, data, createdAt }: Entry): string {
  const head = `[${id}] ${dayOf(createdAt)}${title ? ` ${title}` : ''}${tagList(data.tags)}`;
  return `${head}\n${indent(text)}`;
}
