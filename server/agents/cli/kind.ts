import type { ChatSettings as WrittenSettings } from '../../../contract/agent-settings.ts';
import { say, type Text } from '../../../contract/texts.ts';
import type { AgentKind } from '../agent.ts';
import { type StartedProgram, toCommandLine } from '../command-line.ts';
import { CliAgent } from './cli-agent.ts';
import { PROGRAM_OF, PROGRAMS } from './programs.ts';
import { type CliSettings, isCliProvider, resolveCli } from './settings.ts';
import { testCli } from './test.ts';

/** An agent that is a program on this machine: Claude Code, Codex or Pi. */
export const cliKind: AgentKind<CliSettings> = {
  kind: 'cli',
  type: 'chat',
  takes: (written: WrittenSettings) => isCliProvider(written.provider),
  secrets: [],
  hostOf: () => '',
  resolve: (written: WrittenSettings, env) => resolveCli(written, env),
  describe: ({ provider, model }) => ({ provider, model, attachments: ['text'], steers: true }),
  program: (written: WrittenSettings) => programOf(written),
  test: (agent, deps, mayStart) => testCli(agent.settings, deps, mayStart),
  open: (agent, deps) => new CliAgent(agent, deps),
  warnings: async ({ settings }) => signInWarnings(settings),
};

/** Anything that is added to a program can make it do something else. */
function programOf({ provider, cli }: WrittenSettings): StartedProgram | null {
  if (!isCliProvider(provider)) return null;
  const { command, args, env, permissionMode } = cli ?? {};
  return {
    commandLine: toCommandLine({ command: command ?? PROGRAM_OF[provider], args, env }),
    settings: [],
    rights: permissionMode === 'acceptEdits' ? ['Permission mode acceptEdits: it changes files without asking'] : [],
    isKnown: !command && !args?.length && !env,
  };
}

/** A program that is not signed in fails in the middle of its first turn, so this is said before. */
function signInWarnings(settings: CliSettings): Text[] {
  if (settings.signIn !== 'no') return [];
  const { title, signIn } = PROGRAMS[PROGRAM_OF[settings.provider]];
  return [say('agent_warning.signIn', { title, signIn })];
}
