import { constants, existsSync, statSync } from 'node:fs';
import { access, statfs } from 'node:fs/promises';
import path from 'node:path';
import type { Command } from 'commander';
import type { HomeOption } from '../connect.ts';
import { counted } from '../counted.ts';
import { findServer, readAnnouncement } from '../discovery.ts';
import { resolveHome, tokenFile } from '../home.ts';
import { look, note, print } from '../output.ts';
import { pluginIssues } from '../plugin-issues.ts';
import { safeLine } from '../terminal-text.ts';
import { pad } from '../text-width.ts';

export function define(command: Command): void {
  command
    .description('Check everything Parley needs and report problems. Changes nothing.')
    .option('--home <folder>', 'the data folder')
    .action(doctor);
}

async function doctor({ home }: HomeOption): Promise<void> {
  const all = await findings(resolveHome(home), process.env);
  for (const { state, what, detail } of all) print(`${mark(state)} ${pad(what, 14)} ${detail}`);
  if (all.some(({ state }) => state === 'bad')) process.exitCode = 1;
}

function mark(state: Finding['state']): string {
  if (state === 'good') return 'ok  ';
  return state === 'bad' ? look().red('BAD ') : look().dim('-   ');
}

interface Finding {
  /** `idle`: not there, and that is fine. */
  state: 'good' | 'idle' | 'bad';
  what: string;
  detail: string;
}

async function findings(home: string, env: NodeJS.ProcessEnv): Promise<Finding[]> {
  const program: Finding[] = [{ state: 'good', what: 'Node', detail: process.version }, await sqlite()];
  const obstacle = await obstacleTo(home);
  if (obstacle) return [...program, { state: 'bad', what: FOLDER, detail: obstacle }];
  return [
    ...program,
    folder(home),
    ...(await tried('Disk', () => disk(home))),
    ...(await tried('Database', () => database(home))),
    ...(await tried('Token', () => token(home, env))),
    ...(await tried('Configuration', () => configuration(home, env))),
    ...(await tried('Server', () => server(home, env))),
    ...keys(env),
    await ollama(env),
  ];
}

/** What keeps one thing from being looked at is a finding about it. */
async function tried(what: string, look: () => Finding[] | Promise<Finding[]>): Promise<Finding[]> {
  try {
    return await look();
  } catch (error) {
    return [{ state: 'bad', what, detail: safeLine((error as Error).message) }];
  }
}

async function sqlite(): Promise<Finding> {
  const { DatabaseSync } = await import('node:sqlite');
  const memory = new DatabaseSync(':memory:');
  const { version } = memory.prepare('SELECT sqlite_version() AS version').get() as { version: string };
  memory.close();
  return { state: 'good', what: 'SQLite', detail: version };
}

const FOLDER = 'Data folder';

/** Why nothing in the data folder can be used; undefined when it can, or when there is none yet. */
async function obstacleTo(home: string): Promise<string | undefined> {
  try {
    await access(home, constants.R_OK | constants.W_OK | constants.X_OK);
    return statSync(home).isDirectory() ? undefined : isFile(home);
  } catch (error) {
    switch ((error as NodeJS.ErrnoException).code) {
      case 'ENOENT':
        return undefined;
      case 'EROFS':
        return `the disk with ${home} is read-only; Parley needs write access`;
      case 'ENOTDIR':
        return isFile(path.dirname(home));
      default:
        return statSync(home, { throwIfNoEntry: false })?.isFile()
          ? isFile(home)
          : `no read and write access to ${home}`;
    }
  }
}

function isFile(place: string): string {
  return `${place} is a file, not a folder; choose a folder with --home`;
}

function folder(home: string): Finding {
  if (!existsSync(home)) return { state: 'idle', what: FOLDER, detail: `${home} will be created at the first start` };
  if (isOpenToOthers(home))
    return { state: 'bad', what: FOLDER, detail: `other users can access ${home}; fix with: chmod 700 ${home}` };
  return { state: 'good', what: FOLDER, detail: home };
}

/** With less, a start may fail, or the first long answer may. */
const LEAST_FREE_BYTES = 50_000_000;

async function disk(home: string): Promise<Finding[]> {
  if (!existsSync(home)) return [];
  const { bavail, bsize } = await statfs(home);
  const free = bavail * bsize;
  if (free >= LEAST_FREE_BYTES) return [];
  const detail = `the disk with ${home} is ${free < 1e6 ? '' : 'almost '}full (${Math.floor(free / 1e6)} MB free)`;
  return [{ state: 'bad', what: 'Disk', detail: `${detail}. Free some space` }];
}

/** Small databases are checked at once; of a large one the person is told how long it takes. */
const LARGE_BYTES = 64_000_000;

async function database(home: string): Promise<Finding[]> {
  const what = 'Database';
  const file = path.join(home, 'parley.db');
  const { assertUsable } = await import('../../server/storage/sqlite.ts');
  try {
    assertUsable(file);
  } catch (error) {
    return [{ state: 'bad', what, detail: safeLine((error as Error).message) }];
  }
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  if (size === 0) return [];
  const megabytes = `${Math.max(1, Math.round(size / 1e6))} MB`;
  if (size > LARGE_BYTES) note(`Checking the database (${megabytes})...`);
  const onProgress = (seconds: number) => note(`Still checking the database (${seconds} s)...`);
  const { checkDatabase } = await import('../../server/storage/thread.ts');
  try {
    const problems = await checkDatabase({ file, depth: 'full' }, { onProgress, everySeconds: 5 });
    if (problems.length === 0) return [{ state: 'good', what, detail: `${megabytes}, intact` }];
    const detail = `${file} is damaged (${problems.join('; ')}). Restore a backup of the data folder`;
    return [{ state: 'bad', what, detail: safeLine(detail) }];
  } catch (error) {
    return [{ state: 'bad', what, detail: safeLine(`${file} cannot be read: ${(error as Error).message}`) }];
  }
}

function token(home: string, env: NodeJS.ProcessEnv): Finding[] {
  const what = 'Token';
  if (env.PARLEY_TOKEN) return [{ state: 'good', what, detail: 'from PARLEY_TOKEN' }];
  const file = tokenFile(home);
  if (!existsSync(file)) return [];
  const detail = `other users can access ${file}; fix with: chmod 600 ${file}`;
  return [
    isOpenToOthers(file) ? { state: 'bad', what, detail } : { state: 'good', what, detail: 'only you can read it' },
  ];
}

function isOpenToOthers(file: string): boolean {
  return process.platform !== 'win32' && (statSync(file).mode & 0o077) !== 0;
}

async function configuration(home: string, env: NodeJS.ProcessEnv): Promise<Finding[]> {
  const what = 'Configuration';
  if (!existsSync(home)) return [{ state: 'idle', what, detail: 'none yet; the first start creates demo agents' }];
  const { checkConfiguration } = await import('../../server/config/configuration.ts');
  const { issues: own, agents, plugins } = await checkConfiguration(home, env);
  const issues = [...own, ...(await pluginIssues(home, plugins))];
  if (issues.length > 0) return [{ state: 'bad', what, detail: safeLine(issues.join('; ')) }];
  const missing = agents.filter(({ available }) => !available).map(({ agentId }) => agentId);
  const also = missing.length === 0 ? '' : `; unavailable: ${missing.join(', ')}`;
  return [{ state: 'good', what, detail: `${counted(agents.length, 'agent')}${also}` }];
}

async function server(home: string, env: NodeJS.ProcessEnv): Promise<Finding[]> {
  const what = 'Server';
  const client = await findServer(home, env);
  const { isFolderLocked } = await import('../../server/storage/folder-lock.ts');
  if (!client && isFolderLocked(home)) return [{ state: 'bad', what, detail: hidden(home) }];
  if (!client) return [{ state: 'idle', what, detail: notRunning(home) }];
  await client.call('getConfiguration');
  return [{ state: 'good', what, detail: `running at ${client.baseUrl}` }];
}

function hidden(home: string): string {
  return `a server or another command is using ${home}, but server.json does not say where. Restart the server`;
}

function notRunning(home: string): string {
  const announced = readAnnouncement(home);
  return announced
    ? `not running; it did not shut down cleanly (was at ${announced.url})`
    : 'not running; commands work without it. Start it with `parley serve`';
}

function keys(env: NodeJS.ProcessEnv): Finding[] {
  return ['OPENAI_API_KEY', 'ANTHROPIC_API_KEY', 'OPENAI_BASE_URL'].map((name) =>
    env[name] ? { state: 'good', what: name, detail: 'set' } : { state: 'idle', what: name, detail: 'not set' },
  );
}

const OLLAMA_MS = 500;

async function ollama(env: NodeJS.ProcessEnv): Promise<Finding> {
  const what = 'Ollama';
  const host = env.OLLAMA_HOST || '127.0.0.1:11434';
  try {
    const url = `${/^https?:/.test(host) ? host : `http://${host}`}/api/tags`;
    const answer = await fetch(url, { signal: AbortSignal.timeout(OLLAMA_MS) });
    const { models } = (await answer.json()) as { models: { name: string }[] };
    return {
      state: 'good',
      what,
      detail: safeLine(models.map(({ name }) => name).join(', ')) || 'running, without models',
    };
  } catch {
    return { state: 'idle', what, detail: 'not running' };
  }
}
