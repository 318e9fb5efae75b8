import type { Agent, AgentDeps, AgentKind } from '../agent.ts';
import type { ResolvedAgent } from '../resolved-agent.ts';
import { A2aAgent } from './a2a-agent.ts';
import { type A2aSettings, hostOf, resolveA2a } from './settings.ts';

/** Agents on other servers that speak A2A, version 1.0 or 0.3. */
export const a2aKind: AgentKind<A2aSettings> = {
  kind: 'a2a',
  type: 'a2a',
  secrets: ['apiKey'],
  hostOf,
  resolve: resolveA2a,
  describe: () => ({ provider: 'a2a', model: '', attachments: ['text', 'image'], steers: false }),
  test: async (agent, deps) => {
    const { testA2a } = await import('./test.ts');
    return testA2a(agent.settings, deps);
  },
  open: (agent: ResolvedAgent<A2aSettings>, deps: AgentDeps): Agent => new A2aAgent(agent, deps),
};
