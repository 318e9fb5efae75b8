import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** What a prompt makes a scripted program do. `answer` is what it says once the tool is over. */
export type Deed =
  | { kind: 'say'; text: string; pieces?: number }
  | { kind: 'run'; command: string }
  | { kind: 'write'; file: string; content: string }
  | { kind: 'parley'; tool: string; input: Record<string, string> }
  | { kind: 'plan'; steps: string[] }
  | { kind: 'ask'; question: string }
  | { kind: 'misbehave'; how: Misbehaviour };

export type Misbehaviour = (typeof MISBEHAVIOURS)[number];
const MISBEHAVIOURS = ['HANG', 'DEAF', 'DIE', 'FLOOD', 'FORK', 'LATE', 'FAIL'] as const;

/** The same words that the scripted model of the real programs understands, and words for what no real program should do. */
export function deedOf(prompt: string, remembered: readonly string[]): Deed {
  // What was said before is shown to a program that has not seen it.
  const asked = prompt.split(/\[The message to answer, from [^\n]*:\]\n\n/).at(-1)!;
  if (!/\bRECALL\b/.test(asked)) return deedIn(asked);
  return { kind: 'say', text: `I remember: ${[...remembered, prompt].join(' | ')}` };
}

function deedIn(prompt: string): Deed {
  const how = MISBEHAVIOURS.find((word) => new RegExp(`\\b${word}\\b`).test(prompt));
  if (how) return { kind: 'misbehave', how };
  const [, command] = /\b(?:RUN|DO) (.+)/.exec(prompt) ?? [];
  if (command) return { kind: 'run', command };
  const [, file] = /\bWRITE (\S+)/.exec(prompt) ?? [];
  if (file) return { kind: 'write', file, content: 'hello file' };
  const [, title] = /\bPARLEY (.+)/.exec(prompt) ?? [];
  if (title) return { kind: 'parley', tool: 'todo_add', input: { title } };
  const [, query] = /\bSEARCH (.+)/.exec(prompt) ?? [];
  if (query) return { kind: 'parley', tool: 'knowledge_search', input: { query } };
  const [, plan] = /\bPLAN (.+)/.exec(prompt) ?? [];
  if (plan) return { kind: 'plan', steps: plan.split(', ') };
  const [, question] = /\bASK (.+)/.exec(prompt) ?? [];
  if (question) return { kind: 'ask', question };
  return { kind: 'say', ...wordsFor(prompt) };
}

function wordsFor(prompt: string): { text: string; pieces?: number } {
  if (/\bGREET\b/.test(prompt)) return { text: 'Hello.', pieces: 1 };
  if (prompt.startsWith('LONG')) return { text: 'word '.repeat(4000), pieces: 4000 };
  if (prompt.includes('[What was said meanwhile')) return { text: `Delegates said: ${prompt}` };
  const [, task] = /\bDELEGATE (.+)/.exec(prompt) ?? [];
  if (task) return { text: `I ask ada.\n\n<delegate to="ada">${task}</delegate>` };
  return { text: 'Hello from the model.' };
}

export function piecesOf({ text, pieces = 3 }: { text: string; pieces?: number }): string[] {
  const size = Math.ceil(text.length / pieces);
  return Array.from({ length: Math.ceil(text.length / size) }, (_, index) =>
    text.slice(index * size, (index + 1) * size),
  );
}

/** Runs a command in the program's folder. */
export function run(command: string): string {
  return execFileSync('/bin/sh', ['-c', command], { encoding: 'utf8' });
}

export function write(file: string, content: string): void {
  writeFileSync(path.resolve(file), content);
}

/** What the program was told in a conversation: a file in its home folder. */
export class Memory {
  readonly #file: string;

  constructor(folder: string, conversation: string) {
    mkdirSync(path.join(process.env.HOME!, folder), { recursive: true });
    this.#file = path.join(process.env.HOME!, folder, conversation);
  }

  get exists(): boolean {
    return existsSync(this.#file);
  }

  get prompts(): string[] {
    if (!this.exists) return [];
    return readFileSync(this.#file, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line));
  }

  add(prompt: string): void {
    appendFileSync(this.#file, `${JSON.stringify(prompt)}\n`);
  }
}

/** For `HANG`, `DEAF` and `FORK`: something that goes on without an end. */
export function hang(how: Misbehaviour): Promise<never> {
  if (how === 'DEAF') process.on('SIGTERM', () => {});
  if (how === 'FORK') forkAway();
  return new Promise(() => setInterval(() => {}, 1000));
}

/** A process that leaves the group of its parent, as daemons do; its number is in the file `forked`. */
function forkAway(): void {
  const script = 'sleep 600 & echo $! > forked; exit';
  const child: ChildProcess = spawn('/bin/sh', ['-c', script], { detached: true, stdio: 'ignore' });
  child.unref();
}

/** A line without an end. */
export function flood(): Promise<never> {
  console.error('It floods.');
  const piece = Buffer.alloc(1_000_000, 'x');
  const more = () => {
    process.stdout.write('{');
    while (process.stdout.write(piece));
    process.stdout.once('drain', more);
  };
  more();
  return new Promise(() => {});
}
