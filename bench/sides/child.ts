import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';

export type Place = 'server' | 'load';

/** The server gets a core to itself; the model and the load share another. Where that cannot be, nothing is pinned. */
const CORES: Readonly<Record<Place, string>> | undefined = canPin() ? { server: '0', load: '1' } : undefined;

export const isPinned = CORES !== undefined;

function canPin(): boolean {
  return availableParallelism() >= 2 && spawnSync('taskset', ['--version']).status === 0;
}

/** This process makes the load. Its threads are moved too; what it starts later inherits its place. */
export function pinSelf(): void {
  if (CORES) spawnSync('taskset', ['-a', '-c', '-p', CORES.load, String(process.pid)]);
}

/** The command as it has to be started to run in its place. */
export function placed(place: Place, command: string, args: readonly string[]): [string, string[]] {
  return CORES ? ['taskset', ['-c', CORES[place], command, ...args]] : [command, [...args]];
}

const running = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => process.exit(1));

/** What a program of ours sees of the environment. The Node that runs this is the first that it finds. */
export function programEnv(more: Record<string, string> = {}): Record<string, string> {
  const { PATH = '', HOME = '' } = process.env;
  return { PATH: `${path.dirname(process.execPath)}${path.delimiter}${PATH}`, HOME, ...more };
}

/** A process of ours that says on its standard output where it listens. */
export class Child {
  readonly process: ChildProcess;
  readonly startedAt = performance.now();
  url = '';
  #output = '';

  constructor(place: Place, [program, ...args]: readonly string[], env: Record<string, string> = {}) {
    const [command, all] = placed(place, program!, args);
    this.process = spawn(command, all, { stdio: ['ignore', 'pipe', 'pipe'], env: programEnv(env) });
    running.add(this.process);
    this.process.once('exit', () => running.delete(this.process));
    for (const stream of [this.process.stdout!, this.process.stderr!]) {
      stream.setEncoding('utf8').on('data', (text: string) => this.#hear(text));
    }
  }

  get pid(): number {
    return this.process.pid!;
  }

  /** The last of what it has said. */
  get output(): string {
    return this.#output;
  }

  get port(): number {
    return Number(new URL(this.url).port);
  }

  async ready(timeoutMs = 20_000): Promise<this> {
    const deadline = performance.now() + timeoutMs;
    while (this.url === '') {
      if (this.process.exitCode !== null) throw new Error(`ended with ${this.process.exitCode}: ${this.#output}`);
      if (performance.now() > deadline) throw new Error(`did not start: ${this.#output}`);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    return this;
  }

  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    if (this.process.exitCode !== null || this.process.signalCode !== null) return;
    const gone = once(this.process, 'exit');
    this.process.kill(signal);
    await gone;
  }

  /** CPU time of all its threads so far. The scheduler counts nanoseconds; `stat` only hundredths of a second. */
  cpuMs(): number {
    return threadsOf(this.pid).reduce((sum, thread) => sum + schedstat(this.pid, thread)[0], 0) / 1e6;
  }

  /** How long its main thread was ready to run but had no core: what others on the machine took from it. */
  waitedMs(): number {
    return schedstat(this.pid, String(this.pid))[1] / 1e6;
  }

  rssMb(): number {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${this.pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
  }

  #hear(text: string): void {
    this.#output = (this.#output + text).slice(-8000);
    this.url ||= /http:\/\/[^\s/]+:\d+/.exec(this.#output)?.[0] ?? '';
  }
}

function threadsOf(pid: number): string[] {
  return readdirSync(`/proc/${pid}/task`);
}

/** Nanoseconds on a core and nanoseconds waiting for one. A thread may end between being listed and being read. */
function schedstat(pid: number, thread: string): [number, number] {
  try {
    const [ran, waited] = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ');
    return [Number(ran), Number(waited)];
  } catch {
    return [0, 0];
  }
}
