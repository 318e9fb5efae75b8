import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, statSync } from 'node:fs';
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { setTimeout as sleep } from 'node:timers/promises';
import { groupIsGone, killMarked, MARK_VARIABLE, signalGroup } from './group.ts';
import { splitLines } from './lines.ts';
import { OutputTail } from './output-tail.ts';
import { MARK_DESCRIPTOR } from './proc-files.ts';
import type { ProcessRegistry } from './registry.ts';

export interface ChildOptions {
  command: string;
  args?: readonly string[];
  cwd?: string | undefined;
  /** The whole environment; see `cleanEnvironment`. */
  env: Readonly<Record<string, string>>;
  /** Stops it. */
  signal?: AbortSignal | undefined;
  /** Remembers it for the next start of the server. */
  registry?: ProcessRegistry | undefined;
  /** Of one line of its output; a longer one ends it. */
  maxLineBytes?: number | undefined;
  /** How long it may take to end when asked to. */
  graceMs?: number | undefined;
  onStderr?: ((text: string) => void) | undefined;
}

export interface ChildExit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

const MAX_LINE_BYTES = 8_000_000;
const GRACE_MS = 2000;
const KILLED_MS = 5000;
const QUIET_MS = 500;
/** Programs count on the first few descriptors being free: the mark comes after them. */
const NOTHING = Array.from({ length: MARK_DESCRIPTOR - 3 }, () => 'ignore' as const);

/** The program is not there, or may not be executed. */
export class ProcessStartError extends Error {
  readonly code: string;

  constructor(message: string, code: string) {
    super(message);
    this.name = 'ProcessStartError';
    this.code = code;
  }
}

/** Starts a program in a process group of its own. Rejects with `ProcessStartError`, or with the signal's reason. */
export async function startChild(options: ChildOptions): Promise<Child> {
  options.signal?.throwIfAborted();
  const mark = randomUUID();
  try {
    options.registry?.announce(mark);
    const process = open(options, mark);
    const spawned = once(process, 'spawn');
    const child = process.pid === undefined ? undefined : new Child(process, mark, options);
    await spawned;
    return child!;
  } catch (error) {
    options.registry?.forget(mark);
    throw startError(options, error);
  }
}

function open(options: ChildOptions, mark: string): ChildProcessWithoutNullStreams {
  const markFile = options.registry?.open(mark);
  try {
    return spawnMarked(options, mark, markFile);
  } finally {
    if (markFile !== undefined) closeSync(markFile);
  }
}

function spawnMarked(
  options: ChildOptions,
  mark: string,
  markFile: number | undefined,
): ChildProcessWithoutNullStreams {
  return spawn(options.command, options.args ?? [], {
    cwd: options.cwd,
    // Bash that finds a socket as its input, as ours are, takes itself for a remote login and executes the user's
    // start-up file, unless another shell seems to have started it.
    env: { SHLVL: '1', ...options.env, [MARK_VARIABLE]: mark },
    detached: true,
    shell: false,
    windowsHide: true,
    // The open file of its mark is inherited by everything it starts, also with an empty environment.
    stdio: markFile === undefined ? 'pipe' : ['pipe', 'pipe', 'pipe', ...NOTHING, markFile],
  }) as ChildProcessWithoutNullStreams;
}

function startError({ command, cwd }: ChildOptions, error: unknown): unknown {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === undefined) return error;
  if (cwd !== undefined && !isFolder(cwd)) return new ProcessStartError(`Folder not found: ${cwd}.`, 'ENOTDIR');
  if (code === 'ENOENT') return new ProcessStartError(`Program not found: ${command}.`, code);
  if (code === 'EACCES') return new ProcessStartError(`${command} is not executable.`, code);
  return new ProcessStartError(`Couldn't start ${command}: ${message}`, code);
}

function isFolder(place: string): boolean {
  return statSync(place, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

/**
 * A program that we started, and every process it started. They end together: when it is stopped, when its signal
 * aborts, and when it ends by itself while others of its group go on.
 */
export class Child {
  readonly #process: ChildProcessWithoutNullStreams;
  readonly #mark: string;
  readonly #options: ChildOptions;
  readonly #stderr = new OutputTail();
  #stopping: Promise<void> | undefined;
  #failure: Error | undefined;
  readonly exited: Promise<ChildExit>;
  /** All that it said on stderr has been read: that may be later than its exit. */
  readonly stderrRead: Promise<void>;

  constructor(process: ChildProcessWithoutNullStreams, mark: string, options: ChildOptions) {
    this.#process = process;
    this.#mark = mark;
    this.#options = options;
    this.exited = new Promise((resolve) => process.once('exit', (code, signal) => resolve({ code, signal })));
    this.stderrRead = new Promise((resolve) => process.stderr.once('close', resolve));
    this.#followStreams();
    options.registry?.note(mark, this.pid, this);
    this.#followLife();
  }

  get pid(): number {
    return this.#process.pid!;
  }

  /** What it says, line by line; at its own pace, because a program that is not read is not let on. Read it once. */
  get lines(): AsyncIterable<string> {
    return this.#lines();
  }

  /** The same in pieces as they come; instead of `lines`. */
  get chunks(): AsyncIterable<Buffer> {
    return this.#chunks();
  }

  /** Resolves when the program has been given it; rejects when it no longer listens. */
  write(text: string): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#process.stdin.write(text, (error) => (error ? reject(error) : resolve()));
    });
  }

  closeInput(): void {
    this.#process.stdin.end();
  }

  /** Why its output could not be read on, after which it was stopped. */
  get failure(): Error | undefined {
    return this.#failure;
  }

  stderrTail(): string {
    return this.#stderr.text();
  }

  /** Asks the whole group to end, then kills it. Resolves when every process of the group is gone. */
  stop(): Promise<void> {
    this.#stopping ??= this.#end();
    return this.#stopping;
  }

  #followStreams(): void {
    const { stdin, stdout, stderr } = this.#process;
    // A failed write rejects its own promise; a pipe that breaks in between needs no report.
    for (const stream of [stdin, stdout, stderr]) stream.on('error', () => {});
    // Without a listener from the beginning, Node throws away what is unread when the program ends.
    stdout.on('readable', () => {});
    const decoder = new StringDecoder('utf8');
    stderr.on('data', (chunk: Buffer) => {
      this.#stderr.add(chunk);
      this.#options.onStderr?.(decoder.write(chunk));
    });
  }

  #followLife(): void {
    const { signal } = this.#options;
    const stop = () => void this.stop();
    signal?.addEventListener('abort', stop, { once: true });
    this.#process.once('exit', () => {
      signal?.removeEventListener('abort', stop);
      stop();
    });
  }

  async #end(): Promise<void> {
    signalGroup(this.pid, 'SIGTERM');
    if (!(await groupIsGone(this.pid, this.#options.graceMs ?? GRACE_MS))) signalGroup(this.pid, 'SIGKILL');
    await killMarked(this.#mark, this.#options.registry?.fileOf(this.#mark));
    await Promise.race([this.exited, sleep(KILLED_MS, undefined, { ref: false })]);
    this.#options.registry?.forget(this.#mark, this);
    this.#endOutput();
  }

  /** A process that left the group may hold the pipe open. What is still in it is read; then it is closed. */
  #endOutput(): void {
    const { stderr } = this.#process;
    const stdout = this.#process.stdout as Socket;
    let read = stdout.bytesRead;
    const timer = setInterval(() => {
      const isQuiet = stdout.readableLength === 0 && stdout.bytesRead === read;
      read = stdout.bytesRead;
      if (!isQuiet) return;
      stdout.destroy();
      stderr.destroy();
    }, QUIET_MS).unref();
    stdout.once('close', () => clearInterval(timer));
  }

  async *#lines(): AsyncGenerator<string> {
    try {
      yield* splitLines(this.#chunks(), this.#options.maxLineBytes ?? MAX_LINE_BYTES);
    } catch (error) {
      this.#failure = error as Error;
      await this.stop();
      throw error;
    }
  }

  async *#chunks(): AsyncGenerator<Buffer> {
    const { stdout } = this.#process;
    while (true) {
      const chunk: Buffer | null = stdout.read();
      if (chunk) yield chunk;
      else if (stdout.readableEnded || stdout.destroyed) return;
      else await change(stdout);
    }
  }
}

/** Something to read, or nothing ever again. */
function change(stream: Readable): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      for (const event of CHANGES) stream.off(event, done);
      resolve();
    };
    for (const event of CHANGES) stream.on(event, done);
  });
}

const CHANGES = ['readable', 'end', 'close'];
