import type { Configuration } from './config.ts';
import type { DelegationHouse } from './delegation/house.ts';
import { agentsPlugin, sessionsPlugin } from './delegation/plugins.ts';
import type { HostCheck } from './http/origin.ts';
import type { MessageSearch } from './sessions/search.ts';
import type { Sessions } from './sessions/sessions.ts';
import type { SqliteStore } from './storage/sqlite.ts';
import { journalPlugin } from './tools/plugins/journal/journal.ts';
import { memoryPlugin } from './tools/plugins/memory/memory.ts';
import { readingListPlugin } from './tools/plugins/reading-list/reading-list.ts';
import { todoPlugin } from './tools/plugins/todo/todo.ts';
import { Toolbox } from './tools/toolbox.ts';
import { type McpSide, Tooling } from './tools/tooling.ts';

export interface ToolGround {
  configuration: Configuration;
  store: SqliteStore;
  home: string;
  env: NodeJS.ProcessEnv;
  hosts: HostCheck;
  house: DelegationHouse;
  sessions: Sessions;
  search: MessageSearch;
  report: (problem: string, error: unknown) => void;
}

/** Every tool there is, from what is built in to what servers elsewhere offer. */
export function openTooling({ configuration, store, house, sessions, search }: ToolGround): Tooling {
  const { db } = store;
  const builtIn = [
    readingListPlugin(db),
    todoPlugin(db),
    journalPlugin(db),
    memoryPlugin(db),
    agentsPlugin(house),
    sessionsPlugin({ house, sessions, search }),
  ];
  const toolbox = new Toolbox({ builtIn, settings: () => configuration.current.tools });
  const mcp: McpSide = {
    ensureKnown: async () => undefined,
    list: () => [],
    restart: () => Promise.reject(new Error('none')),
    accept: () => Promise.reject(new Error('none')),
  };
  return new Tooling(
    {
      tools: () => toolbox.all(),
      find: (name) => toolbox.find(name),
      skills: () => toolbox.skills(),
      agents: () => configuration.current.agents,
      approvals: () => configuration.current.approvals,
      approvalDefault: ({ source }) =>
        source.kind === 'mcp' ? configuration.current.mcpServers[source.id]?.approval : undefined,
    },
    toolbox,
    mcp,
  );
}
