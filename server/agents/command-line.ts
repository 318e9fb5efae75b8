export interface Command {
  readonly command: string;
  readonly args?: readonly string[] | null | undefined;
  readonly env?: Readonly<Record<string, string>> | null | undefined;
}

/** A program with its arguments as a person would type it, variables first. */
export function toCommandLine({ command, args, env }: Command): string {
  const variables = Object.entries(env ?? {}).map(([name, value]) => `${name}=${quoted(value)}`);
  return [...variables, ...[command, ...(args ?? [])].map(quoted)].join(' ');
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
