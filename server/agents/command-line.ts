import { findUnseenCharacters } from '../../contract/unseen-characters.ts';

export interface Command {
  readonly command: string;
  readonly args?: readonly string[] | null | undefined;
  readonly env?: Readonly<Record<string, string>> | null | undefined;
}

/** The program that an agent starts, as a person confirms it. */
export interface StartedProgram {
  readonly commandLine: string;
  /**
   * What it is set to, in words, a line each. Only the program knows what a setting means, so that another one, or none,
   * may let it do more.
   */
  readonly settings: readonly string[];
  /** What lets it do more than it would do by itself, in words, a line each. */
  readonly rights: readonly string[];
  /** A program that is known by its name, with nothing added: it may be started without a confirmation. */
  readonly isKnown: boolean;
}

/** A program with its arguments as a person would type it, variables first. One line, in which every character is seen. */
export function toCommandLine({ command, args, env }: Command): string {
  const variables = Object.entries(env ?? {}).map(([name, value]) => `${name}=${toWord(value)}`);
  return [...variables, ...[command, ...(args ?? [])].map(toWord)].join(' ');
}

/** As one word of a shell: no two texts look the same. */
export function toWord(text: string): string {
  if (/^[\w@%+=:,./-]+$/.test(text)) return text;
  if (!/[\n\r\t]/.test(text) && findUnseenCharacters(text).length === 0) return `'${text.replaceAll("'", "'\\''")}'`;
  return `$'${[...text].map(escaped).join('')}'`;
}

function escaped(character: string): string {
  if (character === "'" || character === '\\') return `\\${character}`;
  if (character === '\n') return '\\n';
  if (character !== '\r' && character !== '\t' && findUnseenCharacters(character).length === 0) return character;
  return `\\U${character.codePointAt(0)!.toString(16).padStart(8, '0')}`;
}
