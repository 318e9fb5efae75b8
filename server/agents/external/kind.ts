import type { AgentKind } from '../agent.ts';
import { ExternalAgent } from './external-agent.ts';
import { type ExternalSettings, hostOf, resolveExternal } from './settings.ts';
import { testExternal } from './test.ts';

/** Agents that are sent their input over HTTP and answer by calling back. */
export const externalKind: AgentKind<ExternalSettings> = {
  kind: 'external',
  type: 'external',
  secrets: ['secret'],
  hostOf,
  resolve: resolveExternal,
  describe: () => ({ provider: 'external', model: '', attachments: ['text'], steers: false }),
  test: (agent, deps) => testExternal(agent.settings, deps),
  open: (agent, deps) => new ExternalAgent(agent, deps),
};
