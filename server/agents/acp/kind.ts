import type { AcpSettings as WrittenSettings } from '../../../contract/agent-settings.ts';
import type { Agent, AgentDeps, AgentKind } from '../agent.ts';
import { type StartedProgram, toCommandLine, toWord } from '../command-line.ts';
import type { ResolvedAgent } from '../resolved-agent.ts';
import type { AcpAgent } from './acp-agent.ts';
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
    steers: true,
  }),
  program: (written: WrittenSettings) => programOf(written),
  test: async (agent, deps, mayStart) => {
    const { testAcp } = await import('./test.ts');
    return testAcp(agent.settings, deps, mayStart);
  },
  open: (agent, deps) => openAcp(agent, deps),
};

function programOf({
  command,
  args,
  env,
  mode,
  guestMode,
  modes,
  configOptions,
}: WrittenSettings): StartedProgram | null {
  if (!command) return null;
  const settings = [
    ...(mode ? [`Mode: ${toWord(mode)}`] : []),
    ...(guestMode ? [`Mode for guests: ${toWord(guestMode)}`] : []),
    ...Object.entries(modes ?? {}).map(([agentId, each]) => `Mode for ${agentId}: ${toWord(each)}`),
    ...Object.entries(configOptions ?? {}).map(([name, value]) => `Option ${toWord(name)}: ${optionWord(value)}`),
  ];
  return { commandLine: toCommandLine({ command, args, env }), settings: settings.sort(), rights: [], isKnown: false };
}

/** A text that reads like a boolean is another value than the boolean. */
function optionWord(value: string | boolean): string {
  return value === 'true' || value === 'false' ? `'${value}'` : toWord(String(value));
}

/** The protocol's library is large, and loaded with the first turn of such an agent. */
function openAcp(agent: ResolvedAgent<AcpSettings>, deps: AgentDeps): Agent {
  let opened: Promise<AcpAgent> | undefined;
  let steers = false;
  return {
    traits: {
      // Its program says so, once it has been started.
      get steers() {
        return steers;
      },
      ...{ ownsContext: true, ownsTools: true, reattaches: false },
    },
    async *run(turn, host, signal) {
      opened ??= import('./acp-agent.ts').then(
        ({ AcpAgent }) => new AcpAgent(agent, deps, (program) => (steers = program.steers)),
      );
      yield* (await opened).run(turn, host, signal);
    },
  };
}
