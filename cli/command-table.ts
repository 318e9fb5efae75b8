import type { Command } from 'commander';

const TALK = 'Talk:';
const DECIDE = 'Decide:';
const KEEP = 'Sessions:';
const WORK = 'Tools:';
const SET_UP = 'Set up:';

export const GROUPS = [TALK, DECIDE, KEEP, WORK, SET_UP] as const;

export interface CommandEntry {
  name: string;
  group: (typeof GROUPS)[number];
  summary: string;
  /** Loaded when asked for: a start pays for one command, not for all. */
  load(): Promise<{ define(command: Command): void }>;
}

export const COMMANDS: readonly CommandEntry[] = [
  {
    name: 'chat',
    group: TALK,
    summary: 'talk to an agent, once or for as long as you like',
    load: () => import('./commands/chat.ts'),
  },
  {
    name: 'retry',
    group: TALK,
    summary: 'have a message answered again',
    load: () => import('./commands/retry.ts'),
  },
  {
    name: 'edit',
    group: TALK,
    summary: 'say something else instead, as a new branch',
    load: () => import('./commands/edit.ts'),
  },
  {
    name: 'cancel',
    group: TALK,
    summary: 'stop what an agent is doing',
    load: () => import('./commands/cancel.ts'),
  },
  {
    name: 'queue',
    group: TALK,
    summary: 'messages that wait their turn',
    load: () => import('./commands/queue.ts'),
  },
  {
    name: 'tail',
    group: TALK,
    summary: 'follow sessions live',
    load: () => import('./commands/tail.ts'),
  },
  {
    name: 'actions',
    group: DECIDE,
    summary: 'what waits for you',
    load: () => import('./commands/actions.ts'),
  },
  {
    name: 'approve',
    group: DECIDE,
    summary: 'allow a tool call, go on past a limit, try again what failed',
    load: () => import('./commands/approve.ts'),
  },
  {
    name: 'deny',
    group: DECIDE,
    summary: 'refuse a tool call, stop at a limit',
    load: () => import('./commands/deny.ts'),
  },
  {
    name: 'answer',
    group: DECIDE,
    summary: 'answer a question that an agent asks',
    load: () => import('./commands/answer.ts'),
  },
  {
    name: 'grants',
    group: DECIDE,
    summary: 'what is allowed without asking, and taking it back',
    load: () => import('./commands/grants.ts'),
  },
  {
    name: 'sessions',
    group: KEEP,
    summary: 'list, make, read, name, pin, archive, fork and delete sessions',
    load: () => import('./commands/sessions.ts'),
  },
  {
    name: 'templates',
    group: KEEP,
    summary: 'what sessions begin with: list, create, change and delete',
    load: () => import('./commands/templates.ts'),
  },
  {
    name: 'search',
    group: KEEP,
    summary: 'find what was said',
    load: () => import('./commands/search.ts'),
  },
  {
    name: 'seen',
    group: KEEP,
    summary: 'what did this agent see?',
    load: () => import('./commands/seen.ts'),
  },
  {
    name: 'tree',
    group: KEEP,
    summary: 'who works for whom, and how far they are',
    load: () => import('./commands/tree.ts'),
  },
  {
    name: 'usage',
    group: KEEP,
    summary: 'tokens and cost, by agent, session, model or day',
    load: () => import('./commands/usage.ts'),
  },
  {
    name: 'compact',
    group: KEEP,
    summary: 'let a summary stand for older messages',
    load: () => import('./commands/compact.ts'),
  },
  {
    name: 'export',
    group: KEEP,
    summary: 'write a session as JSON or Markdown',
    load: () => import('./commands/export.ts'),
  },
  {
    name: 'import',
    group: KEEP,
    summary: 'read a session from a file',
    load: () => import('./commands/import.ts'),
  },
  {
    name: 'tools',
    group: WORK,
    summary: 'the tools there are, or those of an agent',
    load: () => import('./commands/tools.ts'),
  },
  {
    name: 'tool',
    group: WORK,
    summary: 'use a tool',
    load: () => import('./commands/tool.ts'),
  },
  {
    name: 'skills',
    group: WORK,
    summary: 'the skills there are, or those of an agent',
    load: () => import('./commands/skills.ts'),
  },
  {
    name: 'explain',
    group: WORK,
    summary: 'what may this agent do, and why?',
    load: () => import('./commands/explain.ts'),
  },
  {
    name: 'mcp',
    group: WORK,
    summary: 'MCP servers: their state, restarts, accepting their tools',
    load: () => import('./commands/mcp.ts'),
  },
  {
    name: 'serve',
    group: SET_UP,
    summary: 'start the server',
    load: () => import('./commands/serve.ts'),
  },
  {
    name: 'open',
    group: SET_UP,
    summary: 'sign a browser in',
    load: () => import('./commands/open.ts'),
  },
  {
    name: 'agents',
    group: SET_UP,
    summary: 'list, create, change, delete and discover agents',
    load: () => import('./commands/agents.ts'),
  },
  {
    name: 'config',
    group: SET_UP,
    summary: 'check and show the configuration',
    load: () => import('./commands/config.ts'),
  },
  {
    name: 'doctor',
    group: SET_UP,
    summary: 'find out what is wrong',
    load: () => import('./commands/doctor.ts'),
  },
  {
    name: 'completion',
    group: SET_UP,
    summary: 'completion for bash, zsh and fish',
    load: () => import('./commands/completion.ts'),
  },
];
