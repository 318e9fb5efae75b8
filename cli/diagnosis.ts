import { constants, existsSync, statSync } from 'node:fs';
import { access } from 'node:fs/promises';
import path from 'node:path';
import { findServer, readAnnouncement } from './discovery.ts';
import { tokenFile } from './home.ts';
import { note } from './output.ts';
import { pluginIssues } from './plugin-issues.ts';
import { safeLine } from './terminal-text.ts';

export interface Finding {
  /** `idle`: not there, and that is fine. */
  state: 'good' | 'idle' | 'bad';
  what: string;
  detail: string;
}

export async function findings(home: string, env: NodeJS.ProcessEnv): Promise<Finding[]> {
  const program: Finding[] = [{ state: 'good', what: 'Node', detail: process.version }, await sqlite()];
  const place = await folder(home);
  if (place.state === 'bad' && !(await isAccessible(home))) return [...program, place];
  return [
    ...program,
    place,
    ...(await database(home)),
    ...token(home, env),
    await configuration(home, env),
    await server(home, env),
    ...keys(env),
    await ollama(env),
  ];
}

async function sqlite(): Promise<Finding> {
  const { DatabaseSync } = await import('node:sqlite');
  const memory = new DatabaseSync(':memory:');
  const { version } = memory.prepare('SELECT sqlite_version() AS version').get() as { version: string };
  memory.close();
  return { state: 'good', what: 'SQLite', detail: version };
}

async function folder(home: string): Promise<Finding> {
  const what = 'Data folder';
  if (!existsSync(home)) return { state: 'idle', what, detail: `${home} will be created at the first start` };
  if (!(await isAccessible(home))) return { state: 'bad', what, detail: `no read and write access to ${home}` };
  if (isOpenToOthers(home))
    return { state: 'bad', what, detail: `other users can access ${home}; fix with: chmod 700 ${home}` };
  return { state: 'good', what, detail: home };
}

function isAccessible(home: string): Promise<boolean> {
  return access(home, constants.R_OK | constants.W_OK | constants.X_OK).then(
    () => true,
    () => false,
  );
}

/** Small databases are checked at once; of a large one the person is told how long it takes. */
const LARGE_BYTES = 64_000_000;

async function database(home: string): Promise<Finding[]> {
  const what = 'Database';
  const file = path.join(home, 'parley.db');
  const { assertUsable } = await import('../server/storage/sqlite.ts');
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
  const { checkDatabase } = await import('../server/storage/check.ts');
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

async function configuration(home: string, env: NodeJS.ProcessEnv): Promise<Finding> {
  const what = 'Configuration';
  if (!existsSync(home)) return { state: 'idle', what, detail: 'none yet; the first start creates demo agents' };
  const { checkConfiguration } = await import('../server/config.ts');
  const { issues: own, agents, plugins } = await checkConfiguration(home, env);
  const issues = [...own, ...(await pluginIssues(home, plugins))];
  if (issues.length > 0) return { state: 'bad', what, detail: safeLine(issues.join('; ')) };
  const missing = agents.filter(({ available }) => !available).map(({ agentId }) => agentId);
  const also = missing.length === 0 ? '' : `; unavailable: ${missing.join(', ')}`;
  return { state: 'good', what, detail: `${agents.length} ${agents.length === 1 ? 'agent' : 'agents'}${also}` };
}

async function server(home: string, env: NodeJS.ProcessEnv): Promise<Finding> {
  const what = 'Server';
  try {
    const client = await findServer(home, env);
    const { isFolderLocked } = await import('../server/storage/folder-lock.ts');
    if (!client && isFolderLocked(home)) return { state: 'bad', what, detail: hidden(home) };
    if (!client) return { state: 'idle', what, detail: notRunning(home) };
    await client.getConfiguration();
    return { state: 'good', what, detail: `running at ${client.baseUrl}` };
  } catch (error) {
    return { state: 'bad', what, detail: safeLine((error as Error).message) };
  }
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
