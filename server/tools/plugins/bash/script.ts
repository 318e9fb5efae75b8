import { StringDecoder } from 'node:string_decoder';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Child, type ChildExit, ProcessStartError, startChild } from '../../../processes/child.ts';
import { cleanEnvironment } from '../../../processes/environment.ts';
import type { ProcessRegistry } from '../../../processes/registry.ts';
import { ToolFailure } from '../../tool.ts';

export interface Script {
  readonly command: string;
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly seconds: number;
  readonly registry?: ProcessRegistry | undefined;
}

export interface ScriptEnding {
  readonly words: string;
  readonly isGood: boolean;
  /** The script ended by itself, with whatever exit code. */
  readonly finished: boolean;
}

const GATHER_MS = 100;

/** A script at work. It is read to its end, and then asked how it ended. */
export class ScriptProcess {
  readonly #child: Child;
  readonly #ending: Promise<ScriptEnding>;

  private constructor(child: Child, seconds: number, clock: AbortSignal) {
    this.#child = child;
    this.#ending = child.exited.then((exit) => (clock.aborted ? tooLong(seconds) : describeExit(exit)));
  }

  static async start(script: Script, signal: AbortSignal): Promise<ScriptProcess> {
    const clock = AbortSignal.timeout(script.seconds * 1000);
    const child = await startScript(script, AbortSignal.any([signal, clock]));
    child.closeInput();
    return new ScriptProcess(child, script.seconds, clock);
  }

  output(): AsyncIterable<string> {
    return gather(decoded(this.#child.chunks), GATHER_MS);
  }

  ending(): Promise<ScriptEnding> {
    return this.#ending;
  }

  /** The caller needs no more output: stops the program. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#child.stop();
  }
}

function tooLong(seconds: number): ScriptEnding {
  return { words: `stopped after ${seconds} s`, isGood: false, finished: false };
}

function describeExit({ code, signal }: ChildExit): ScriptEnding {
  if (signal !== null) return { words: `killed by ${signal}`, isGood: false, finished: false };
  return { words: `exit code ${code}`, isGood: code === 0, finished: true };
}

/** The outer one only joins what is printed in two ways into one, in its order; the script itself is an argument. */
const JOINED = ['-c', 'exec "$@" 2>&1', 'bash', 'bash', '-c', '--'];

async function startScript(script: Script, signal: AbortSignal): Promise<Child> {
  try {
    return await startChild({
      command: 'bash',
      args: [...JOINED, script.command],
      cwd: script.folder,
      env: cleanEnvironment(process.env, script.environment),
      registry: script.registry,
      signal,
    });
  } catch (error) {
    if (error instanceof ProcessStartError) throw new ToolFailure(error.message);
    throw error;
  }
}

async function* decoded(chunks: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const decoder = new StringDecoder('utf8');
  for await (const chunk of chunks) yield decoder.write(chunk);
  const end = decoder.end();
  if (end) yield end;
}

const MOST = 64_000;

/** Joins pieces that come soon after each other, and holds none back for longer than that. */
async function* gather(pieces: AsyncIterable<string>, withinMs: number): AsyncGenerator<string> {
  const iterator = pieces[Symbol.asyncIterator]();
  let next = iterator.next();
  for (let piece = await next; !piece.done; piece = await next) {
    let text = piece.value;
    next = iterator.next();
    const timeUp = sleep(withinMs, undefined, { ref: false });
    for (let more = await Promise.race([next, timeUp]); more && !more.done; more = await Promise.race([next, timeUp])) {
      text += more.value;
      next = iterator.next();
      if (text.length > MOST) break;
    }
    yield text;
  }
}
