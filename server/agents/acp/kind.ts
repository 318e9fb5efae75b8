import type { AcpSettings as WrittenSettings } from '../../../contract/agent-settings.ts';
import type { AgentKind } from '../agent.ts';
import { AcpAgent } from './acp-agent.ts';
import { type AcpSettings, resolveAcp, toCommandLine } from './settings.ts';

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
  commandLine: (written: WrittenSettings) => (written.command ? toCommandLine(written) : null),
  open: (agent, deps) => new AcpAgent(agent, deps),
};
