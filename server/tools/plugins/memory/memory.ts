import { z } from 'zod';
import { defineTool } from '../../define-tool.ts';
import { commandOf, type Plugin } from '../../plugin.ts';
import { skillPathOf } from '../../skills.ts';
import { type ToolContext, ToolFailure } from '../../tool.ts';
import { Before, ItemId, Limit, Query, Tags } from '../fields.ts';
import type { Keeping } from '../items.ts';
import { dayOf, headingFor, indent, isAmong, matcherOf, oneLine, showPage, tagList, takePage } from '../listing.ts';

/** As a plugin shows it. */
export interface Remembered {
  readonly id: string;
  readonly topic: string;
  readonly text: string;
  readonly tags: readonly string[];
  readonly createdAt: string;
}

/** Where memories are kept: `holder` is the agent whose they are. */
export interface KeptMemories {
  /** The same text is remembered once. */
  add(
    keeping: Keeping,
    holder: string,
    memory: { topic: string; text: string; tags: string[] },
  ): Promise<{ id: string; isNew: boolean }>;
  /** Newest first, in pages, so that a long list neither fills the memory nor holds up others. */
  all(keeping: Keeping, holder: string, before?: string): AsyncIterable<Remembered>;
  remove(keeping: Keeping, holder: string, id: string): Promise<void>;
}

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
export function memoryPlugin(memories: KeptMemories): Plugin {
  return {
    id: ID,
    description: 'What an agent remembers across sessions. Every agent has its own memory.',
    skillPath: skillPathOf(ID),
    command: commandOf(ID),
    tools: [save(memories), search(memories), list(memories), forget(memories)],
  };
}

function save(memories: KeptMemories) {
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
      atomic: true,
      source,
      operation: 'save',
    },
    async ({ text, topic, tags }, context) => {
      const { id, isNew } = await memories.add(context, holderOf(context), { topic: oneLine(topic), text, tags });
      return isNew ? `Remembered as [${id}].` : `Already remembered as [${id}].`;
    },
  );
}

function search(memories: KeptMemories) {
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
      const passes = ({ topic, text, tags }: Remembered) => matches(topic, text, ...tags);
      const page = await takePage(memories.all(context, holderOf(context, agent)), passes, limit);
      return showPage(headingFor(page.items.length, 'matching note'), page, show, false);
    },
  );
}

function list(memories: KeptMemories) {
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
      const all = memories.all(context, holderOf(context, agent), before);
      const page = await takePage(all, ({ tags }) => isAmong(tags, tag), limit);
      return showPage(headingFor(page.items.length, 'note'), page, show);
    },
  );
}

function forget(memories: KeptMemories) {
  return defineTool(
    {
      name: 'memory_forget',
      description: 'Forget one thing. You cannot read it any more.',
      input: z.strictObject({ id: ItemId, agent: Agent }),
      capabilities: ['memory.write'],
      risk: 'write',
      source,
      operation: 'forget',
    },
    async ({ id, agent }, context) => {
      await memories.remove(context, holderOf(context, agent), id);
      return `Forgotten: ${id}.`;
    },
  );
}

/** An agent reaches only its own memory; a person may name an agent. */
function holderOf({ agentId }: ToolContext, wanted?: string): string {
  if (agentId === null) return wanted ?? '';
  if (wanted !== undefined && wanted !== agentId) {
    throw new ToolFailure('An agent can see only its own memory.', 'not_allowed');
  }
  return agentId;
}

function show({ id, topic, text, tags, createdAt }: Remembered): string {
  const head = `[${id}] ${dayOf(Date.parse(createdAt))}${topic ? ` ${topic}` : ''}${tagList(tags)}`;
  return `${head}\n${indent(text)}`;
}
