import path from 'node:path';
import type { Agent, AgentDeps, AgentKind } from '../../../server/agents/agent.ts';
import { ScriptedAgent } from './scripted-agent.ts';
import type { ScriptedSettings } from './settings.ts';

type Kind = AgentKind<ScriptedSettings>;

/** An agent that is a program of its own: it remembers the conversation and runs its own tools. */
export const scriptedKind: Kind = {
  kind: 'scripted',
  type: 'scripted' as Kind['type'],
  secrets: [],
  hostOf: () => '',
  resolve: (written) => ({ settings: written as unknown as ScriptedSettings, problems: [] }),
  describe: () => ({ provider: 'scripted', model: 'scripted', attachments: [], steers: true }),
  test: async () => [],
  open: ({ settings }, { processes }: AgentDeps): Agent => new ScriptedAgent(PROGRAM, settings, processes),
};

const PROGRAM = path.join(import.meta.dirname, 'program.ts');
