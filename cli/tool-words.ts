import { CommandFailure, EXIT_USAGE } from './failure.ts';

/** What stands after `parley tool`, taken apart. */
export interface ToolWords {
  /** A plugin and an operation, or the name of a tool. */
  names: string[];
  /** By key, in the order in which they were given; `true` for a key without a value. */
  flags: Map<string, (string | true)[]>;
  /** The whole input as JSON text. */
  json: string | undefined;
  /** The whole input comes as JSON through a pipe. */
  fromPipe: boolean;
  help: boolean;
}

const MOST_NAMES = 2;

export function readToolWords(words: readonly string[]): ToolWords {
  const read: ToolWords = { names: [], flags: new Map(), json: undefined, fromPipe: false, help: false };
  for (let at = 0; at < words.length; at++) {
    const word = words[at]!;
    if (word === '-h' || word === '--help') read.help = true;
    else if (word === '-') read.fromPipe = true;
    else if (word.startsWith('--') && word.length > 2) at += takeFlag(read, word.slice(2), words[at + 1]);
    else takeName(read, word);
  }
  return read;
}

/** How many words belong to it besides its own. */
function takeFlag(read: ToolWords, flag: string, next: string | undefined): number {
  const equals = flag.indexOf('=');
  const key = equals < 0 ? flag : flag.slice(0, equals);
  const follows = equals < 0 && next !== undefined && !next.startsWith('--');
  const value = equals < 0 ? (follows ? next : true) : flag.slice(equals + 1);
  if (key === 'json') read.json = asJsonText(value);
  else read.flags.set(key, [...(read.flags.get(key) ?? []), value]);
  return follows ? 1 : 0;
}

function asJsonText(value: string | true): string {
  if (value !== true) return value;
  throw new CommandFailure(`Give the input after --json, for example: --json '{"text":"milk"}'`, EXIT_USAGE);
}

function takeName(read: ToolWords, word: string): void {
  if (read.names.length < MOST_NAMES && read.flags.size === 0) read.names.push(word);
  else throw new CommandFailure(`Unexpected argument ${word}. Write values as --key value.`, EXIT_USAGE);
}
