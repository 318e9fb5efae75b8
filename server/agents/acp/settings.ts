import type { AcpSettings as WrittenSettings } from '../../../contract/agent-settings.ts';
import { say, type Text } from '../../../contract/texts.ts';
import { type Environment, expand } from '../../config/environment.ts';

/** What an ACP agent works with: variables read. */
export interface AcpSettings {
  /** Empty only for an agent that is unavailable because none is named. */
  readonly command: string;
  readonly args: readonly string[];
  /** A function, so that no log, error or answer can carry a key by accident. */
  readonly env: () => Readonly<Record<string, string>>;
  readonly mode: string | undefined;
  readonly guestMode: string | undefined;
  /** Agents that are modes of this agent's sessions. */
  readonly modes: ReadonlyMap<string, string>;
  readonly model: string | undefined;
  readonly configOptions: ReadonlyMap<string, string | boolean>;
  readonly authMethod: string | undefined;
  /** It reads and writes files itself. */
  readonly ownFiles: boolean;
}

export function resolveAcp(written: WrittenSettings, env: Environment): { settings: AcpSettings; problems: Text[] } {
  const filled = Object.entries(written.env ?? {}).map(([name, text]) => ({ name, ...expand(text, env) }));
  const missing = filled.flatMap((variable) => variable.missing);
  const variables = Object.fromEntries(filled.map(({ name, value }) => [name, value]));
  const settings: AcpSettings = {
    command: written.command ?? '',
    args: written.args ?? [],
    env: () => variables,
    mode: written.mode ?? undefined,
    guestMode: written.guestMode ?? undefined,
    modes: new Map(Object.entries(written.modes ?? {})),
    model: written.model ?? undefined,
    configOptions: new Map(Object.entries(written.configOptions ?? {})),
    authMethod: written.authMethod ?? undefined,
    ownFiles: written.ownFiles ?? false,
  };
  return { settings, problems: problemsOf(settings, missing) };
}

function problemsOf({ command }: AcpSettings, missing: readonly string[]): Text[] {
  const variables = missing.join(', ');
  return [
    ...(command === '' ? [say('unavailable.acpCommand')] : []),
    ...(missing.length > 0 ? [say('unavailable.variables', { variables, field: 'acp.env' })] : []),
  ];
}
