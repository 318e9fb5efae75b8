import type { Command } from 'commander';

const TALK = 'Talk:';
const DECIDE = 'Decide:';
const KEEP = 'Sessions:';
const ARTIFACTS = 'Lists, notes and files:';
const WORK = 'Tools:';
const SET_UP = 'Set up:';

export const GROUPS = [TALK, DECIDE, KEEP, ARTIFACTS, WORK, SET_UP] as const;

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
    summary: 'chat with an agent, once or interactively',
    load: () => import('./commands/chat.ts'),
  },
  {
    name: 'retry',
    group: TALK,
    summary: 'regenerate a reply',
    load: () => import('./commands/retry.ts'),
  },
  {
    name: 'edit',
    group: TALK,
    summary: 'edit and resend a message, as a new branch',
    load: () => import('./commands/edit.ts'),
  },
  {
    name: 'cancel',
    group: TALK,
    summary: 'stop running turns',
    load: () => import('./commands/cancel.ts'),
  },
  {
    name: 'queue',
    group: TALK,
    summary: 'show and edit queued messages',
    load: () => import('./commands/queue.ts'),
  },
  {
    name: 'tail',
    group: TALK,
    summary: 'follow sessions live',
    load: () => import('./commands/tail.ts'),
  },
  {
    name: 'acp',
    group: TALK,
    summary: 'let an editor such as Zed use your sessions and agents',
    load: () => import('./commands/acp.ts'),
  },
  {
    name: 'actions',
    group: DECIDE,
    summary: 'show what is waiting for you',
    load: () => import('./commands/actions.ts'),
  },
  {
    name: 'approve',
    group: DECIDE,
    summary: 'allow a tool call, continue past a limit, retry a failed turn',
    load: () => import('./commands/approve.ts'),
  },
  {
    name: 'deny',
    group: DECIDE,
    summary: 'deny a tool call, stop at a limit',
    load: () => import('./commands/deny.ts'),
  },
  {
    name: 'answer',
    group: DECIDE,
    summary: 'answer a question from an agent',
    load: () => import('./commands/answer.ts'),
  },
  {
    name: 'grants',
    group: DECIDE,
    summary: 'show and revoke saved approvals',
    load: () => import('./commands/grants.ts'),
  },
  {
    name: 'sessions',
    group: KEEP,
    summary: 'list, create, show, rename, pin, archive, fork and delete sessions',
    load: () => import('./commands/sessions.ts'),
  },
  {
    name: 'schedules',
    group: KEEP,
    summary: 'send messages at a set time or regularly',
    load: () => import('./commands/schedules.ts'),
  },
  {
    name: 'webhooks',
    group: KEEP,
    summary: 'tell other programs what happens, and let them send messages',
    load: () => import('./commands/webhooks.ts'),
  },
  {
    name: 'memory',
    group: KEEP,
    summary: 'list, search, change and delete what agents remember',
    load: () => import('./commands/memory.ts'),
  },
  {
    name: 'templates',
    group: KEEP,
    summary: 'list, create, change and delete session templates',
    load: () => import('./commands/templates.ts'),
  },
  {
    name: 'teams',
    group: KEEP,
    summary: 'list, save, import, export and delete teams of agents',
    load: () => import('./commands/teams.ts'),
  },
  {
    name: 'search',
    group: KEEP,
    summary: 'search messages',
    load: () => import('./commands/search.ts'),
  },
  {
    name: 'seen',
    group: KEEP,
    summary: 'show the model input of a turn',
    load: () => import('./commands/seen.ts'),
  },
  {
    name: 'tree',
    group: KEEP,
    summary: 'show delegations and their progress',
    load: () => import('./commands/tree.ts'),
  },
  {
    name: 'usage',
    group: KEEP,
    summary: 'show tokens and cost by agent, session, model or day',
    load: () => import('./commands/usage.ts'),
  },
  {
    name: 'compact',
    group: KEEP,
    summary: 'summarise older messages',
    load: () => import('./commands/compact.ts'),
  },
  {
    name: 'export',
    group: KEEP,
    summary: 'export a session as JSON or Markdown',
    load: () => import('./commands/export.ts'),
  },
  {
    name: 'import',
    group: KEEP,
    summary: 'import a session from a file',
    load: () => import('./commands/import.ts'),
  },
  {
    name: 'lists',
    group: ARTIFACTS,
    summary: 'show and change lists and their items',
    load: () => import('./commands/lists.ts'),
  },
  {
    name: 'notes',
    group: ARTIFACTS,
    summary: 'show and write notes',
    load: () => import('./commands/notes.ts'),
  },
  {
    name: 'views',
    group: ARTIFACTS,
    summary: 'show and change saved queries over lists and notes',
    load: () => import('./commands/views.ts'),
  },
  {
    name: 'files',
    group: ARTIFACTS,
    summary: 'show and keep files that agents have made',
    load: () => import('./commands/files.ts'),
  },
  {
    name: 'knowledge',
    group: ARTIFACTS,
    summary: 'files and notes that agents can search',
    load: () => import('./commands/knowledge.ts'),
  },
  {
    name: 'tools',
    group: WORK,
    summary: 'list tools, or the tools of an agent',
    load: () => import('./commands/tools.ts'),
  },
  {
    name: 'tool',
    group: WORK,
    summary: 'run a tool',
    load: () => import('./commands/tool.ts'),
  },
  {
    name: 'skills',
    group: WORK,
    summary: 'list skills, or the skills of an agent',
    load: () => import('./commands/skills.ts'),
  },
  {
    name: 'explain',
    group: WORK,
    summary: 'explain what an agent can do, and why',
    load: () => import('./commands/explain.ts'),
  },
  {
    name: 'mcp',
    group: WORK,
    summary: 'show and restart MCP servers, accept their tools',
    load: () => import('./commands/mcp.ts'),
  },
  {
    name: 'mcp-bridge',
    group: WORK,
    summary: 'offer the tools of a running turn over stdio',
    load: () => import('./commands/mcp-bridge.ts'),
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
    summary: 'sign in a browser',
    load: () => import('./commands/open.ts'),
  },
  {
    name: 'sign-ins',
    group: SET_UP,
    summary: 'list signed-in browsers; sign one out',
    load: () => import('./commands/sign-ins.ts'),
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
    summary: 'diagnose problems',
    load: () => import('./commands/doctor.ts'),
  },
  {
    name: 'completion',
    group: SET_UP,
    summary: 'print a completion script for bash, zsh or fish',
    load: () => import('./commands/completion.ts'),
  },
];
