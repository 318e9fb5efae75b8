/** `none` takes nothing after its name, `wanted` needs it, `free` can do without. */
type Argument = 'none' | 'free' | 'wanted';

/** What can be done from the keyboard by a line that begins with `/`. */
export const COMMANDS = {
  new: 'free',
  agent: 'wanted',
  stop: 'none',
  retry: 'none',
  rename: 'wanted',
  pin: 'none',
  unpin: 'none',
  fork: 'none',
  compact: 'none',
  export: 'free',
  share: 'none',
  archive: 'none',
  clear: 'none',
  help: 'none',
} as const satisfies Record<string, Argument>;

export type CommandName = keyof typeof COMMANDS;

export const COMMAND_NAMES = Object.keys(COMMANDS) as CommandName[];

/** Commands whose argument is an agent: the agents are offered. */
const NAMES_AGENT: readonly CommandName[] = ['agent', 'new'];

const ALIASES: Readonly<Record<string, CommandName>> = { switch: 'agent', title: 'rename', '?': 'help' };

export type Line =
  | { readonly kind: 'words'; readonly text: string }
  | { readonly kind: 'command'; readonly name: CommandName; readonly argument: string }
  | { readonly kind: 'unknown'; readonly name: string }
  | { readonly kind: 'incomplete'; readonly name: CommandName }
  | { readonly kind: 'surplus'; readonly name: CommandName };

/** What a line means. A path like `/etc/hosts` is words, and `//` at the beginning says a slash. */
export function readLine(text: string): Line {
  if (text.startsWith('//')) return { kind: 'words', text: text.slice(1) };
  const found = /^\/([A-Za-z]+|\?)(?:\s+([\s\S]*))?$/.exec(text.trimEnd());
  if (!found) return { kind: 'words', text };
  const name = commandNamed(found[1]!.toLowerCase());
  return name ? withArgument(name, (found[2] ?? '').trim()) : { kind: 'unknown', name: found[1]! };
}

function commandNamed(name: string): CommandName | null {
  if (Object.hasOwn(COMMANDS, name)) return name as CommandName;
  return Object.hasOwn(ALIASES, name) ? ALIASES[name]! : null;
}

function withArgument(name: CommandName, argument: string): Line {
  const takes = COMMANDS[name];
  if (takes === 'wanted' && argument === '') return { kind: 'incomplete', name };
  if (takes === 'none' && argument !== '') return { kind: 'surplus', name };
  return { kind: 'command', name, argument };
}

export interface Typed {
  readonly start: number;
  readonly end: number;
  readonly typed: string;
}

/** The command that is being written: a slash at the very beginning, the caret still in its name. */
export function commandAt(text: string, caret: number): Typed | null {
  const found = /^\/([A-Za-z]*)(?=\s|$)/.exec(text);
  if (!found || caret < 1 || caret > found[0].length) return null;
  return { start: 0, end: found[0].length, typed: text.slice(1, caret) };
}

/** The agent that is being named after a command that takes one. */
export function commandAgentAt(text: string, caret: number): Typed | null {
  const found = /^\/([A-Za-z]+)[ \t]+([^\s]*)$/.exec(text);
  const name = found && commandNamed(found[1]!.toLowerCase());
  if (!found || !name || !NAMES_AGENT.includes(name)) return null;
  const start = text.length - found[2]!.length;
  return caret < start ? null : { start, end: text.length, typed: text.slice(start, caret) };
}
