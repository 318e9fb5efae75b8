import type { CliProvider, PermissionMode, ChatSettings as WrittenSettings } from '../../../contract/agent-settings.ts';
import { CLI_PROVIDERS } from '../../../contract/agent-settings.ts';
import { say, type Text } from '../../../contract/texts.ts';
import { type Environment, expand } from '../../config/environment.ts';
import { isForbiddenVariable } from '../../processes/environment.ts';
import { findProgram, PROGRAM_OF, PROGRAMS, type SignIn, signInState } from './programs.ts';

/** What an agent that is a program works with: defaults filled in, variables read. */
export interface CliSettings {
  readonly provider: CliProvider;
  /** Empty: the program's own choice. */
  readonly model: string;
  /** The file to start; empty only for an agent that is unavailable because there is none. */
  readonly program: string;
  readonly args: readonly string[];
  /** A function, so that no log, error or answer can carry a key by accident. */
  readonly env: () => Readonly<Record<string, string>>;
  readonly permissionMode: PermissionMode;
  readonly signIn: SignIn;
  readonly reasoningEffort: NonNullable<WrittenSettings['reasoningEffort']> | undefined;
}

export function isCliProvider(provider: unknown): provider is CliProvider {
  return CLI_PROVIDERS.some((name) => name === provider);
}

/** Fills the settings in. A program that is missing makes the agent unavailable, never the configuration invalid. */
export function resolveCli(written: WrittenSettings, env: Environment): { settings: CliSettings; problems: Text[] } {
  const provider = CLI_PROVIDERS.find((name) => name === written.provider) ?? 'claude-cli';
  const command = written.cli?.command ?? PROGRAM_OF[provider];
  const program = findProgram(env, command);
  const { variables, problems } = resolveVariables(written.cli?.env ?? {}, env);
  const settings: CliSettings = {
    provider,
    model: written.model ?? '',
    program: program ?? '',
    args: written.cli?.args ?? [],
    env: () => variables,
    permissionMode: written.cli?.permissionMode ?? 'default',
    signIn: signInState({ ...env, ...variables }, PROGRAM_OF[provider]),
    reasoningEffort: written.reasoningEffort ?? undefined,
  };
  return { settings, problems: [...(program === null ? [missing(provider, command)] : []), ...problems] };
}

function missing(provider: CliProvider, command: string): Text {
  const { title, install, signIn } = PROGRAMS[PROGRAM_OF[provider]];
  return say('unavailable.program', { command, title, install, signIn });
}

function resolveVariables(written: Readonly<Record<string, string>>, env: Environment) {
  const variables: Record<string, string> = {};
  const problems: Text[] = [];
  for (const [name, text] of Object.entries(written)) {
    const { value, missing: absent } = expand(text, env);
    if (isForbiddenVariable(name)) problems.push(say('unavailable.forbiddenVariable', { name }));
    else if (absent.length === 0) variables[name] = value;
    else problems.push(say('unavailable.variables', { variables: absent.join(', '), field: `chat.cli.env.${name}` }));
  }
  return { variables, problems };
}
