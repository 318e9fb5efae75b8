import type { Command } from 'commander';

const TALK = 'Talk:';
const KEEP = 'Sessions:';
const SET_UP = 'Set up:';

export const GROUPS = [TALK, KEEP, SET_UP] as const;

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
    name: 'sessions',
    group: KEEP,
    summary: 'list, read, name, pin, archive, fork and delete sessions',
    load: () => import('./commands/sessions.ts'),
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
