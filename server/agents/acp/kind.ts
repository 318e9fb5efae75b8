import type { AcpSettings as WrittenSettings } from '../../../contract/agent-settings.ts';
import type { Agent, AgentDeps, AgentKind } from '../agent.ts';
import { toCommandLine } from '../command-line.ts';
import type { ResolvedAgent } from '../resolved-agent.ts';
import { type AcpSettings, resolveAcp } from './settings.ts';

/** An agent that is a program and speaks the Agent Client Protocol. */
export const acpKind: AgentKind<AcpSettings> = {
  kind: 'acp',
  type: 'acp',
  secrets: [],
  hostOf: (written: WrittenSettings) => written.command ?? '',
  resolve: (written: WrittenSettings, env) => resolveAcp(written, env),
  describe: ({ command, model }) => ({
    provider: 'acp',
    model: model ?? command.split('/').at(-1)!,
    attachments: ['text', 'image'],
  }),
  commandLine: (written: WrittenSettings) =>
    written.command ? toCommandLine({ ...written, command: written.command }) : null,
  test: async (agent, deps, mayStart) => {
    const { testAcp } = await import('./test.ts');
    return testAcp(agent.settings, deps, mayStart);
  },
  open: (agent, deps) => openAcp(agent, deps),
};

/** The protocol's library is large, and loaded with the first turn of such an agent. */
function openAcp(agent: ResolvedAgent<AcpSettings>, deps: AgentDeps): Agent {
  return {
    traits: { steers: false, ownsContext: true, ownsTools: true, reattaches: false },
    async *run(turn, host, signal) {
      const { AcpAgent } = await import('./acp-agent.ts');
      yield* new AcpAgent(agent, deps).run(turn, host, signal);
    },
  };
}
