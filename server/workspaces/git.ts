import { type Child, ProcessStartError, startChild } from '../processes/child.ts';
import { cleanEnvironment } from '../processes/environment.ts';

export class GitError extends Error {}

/** Git is not on this machine. */
export class GitMissingError extends GitError {}

export interface GitOptions {
  readonly folder: string;
  /** Instead of the repository that the folder is in. */
  readonly gitDir?: string;
  readonly timeoutMs?: number;
  /** Of what it prints; the rest is left out. */
  readonly maxBytes?: number;
}

const TIMEOUT_MS = 20_000;
const MAX_BYTES = 4_000_000;
/** Folders in which agents work can hold configuration and hooks that would run as soon as git looks at them. */
const SAFE = [
  ['core.hooksPath', '/dev/null'],
  ['core.fsmonitor', 'false'],
  ['core.quotePath', 'false'],
  ['core.autocrlf', 'false'],
  ['safe.directory', '*'],
  ['gc.autoDetach', 'false'],
].flatMap(([name, value]) => ['-c', `${name}=${value}`]);

/** What git prints. Rejects with `GitError` when it fails, takes too long or is missing. */
export async function git(args: readonly string[], options: GitOptions): Promise<string> {
  const signal = AbortSignal.timeout(options.timeoutMs ?? TIMEOUT_MS);
  const child = await start(args, options, signal);
  child.closeInput();
  const output = await read(child, options.maxBytes ?? MAX_BYTES);
  const { code } = await child.exited;
  if (code === 0) return output;
  if (signal.aborted) throw new GitError('git took too long');
  throw new GitError(child.stderrTail().trim() || `git ended with code ${code}`);
}

async function start(args: readonly string[], { folder, gitDir }: GitOptions, signal: AbortSignal): Promise<Child> {
  const repository = gitDir === undefined ? [] : [`--git-dir=${gitDir}`, `--work-tree=${folder}`];
  const env = cleanEnvironment(process.env, { GIT_CONFIG_NOSYSTEM: '1', GIT_TERMINAL_PROMPT: '0', LC_ALL: 'C' });
  // Written past the filter: it keeps out variables that name programs, and these two name none.
  env.GIT_CONFIG_GLOBAL = '/dev/null';
  env.GIT_OPTIONAL_LOCKS = '0';
  try {
    return await startChild({ command: 'git', args: [...SAFE, ...repository, ...args], cwd: folder, env, signal });
  } catch (error) {
    if (error instanceof ProcessStartError && error.code === 'ENOENT') throw new GitMissingError(error.message);
    throw new GitError((error as Error).message);
  }
}

async function read(child: Child, maxBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of child.chunks) {
    if (bytes < maxBytes) chunks.push(chunk.subarray(0, maxBytes - bytes));
    bytes += chunk.length;
  }
  return Buffer.concat(chunks).toString('utf8');
}
