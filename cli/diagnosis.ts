import { constants, existsSync, statSync } from 'node:fs';
import { access } from 'node:fs/promises';
import { findServer, readAnnouncement } from './discovery.ts';
import { tokenFile } from './home.ts';
import { safeLine } from './terminal-text.ts';

export interface Finding {
  /** `idle`: not there, and that is fine. */
  state: 'good' | 'idle' | 'bad';
  what: string;
  detail: string;
}

export async function findings(home: string, env: NodeJS.ProcessEnv): Promise<Finding[]> {
  return [
    { state: 'good', what: 'Node', detail: process.version },
    await sqlite(),
    await folder(home),
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
  if (!existsSync(home)) return { state: 'idle', what, detail: `${home} is made at the first start` };
  try {
    await access(home, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch {
    return { state: 'bad', what, detail: `${home} cannot be read and written by this user` };
  }
  if (isOpenToOthers(home))
    return { state: 'bad', what, detail: `${home} is open to others; mend it with: chmod 700 ${home}` };
  return { state: 'good', what, detail: home };
}

function token(home: string, env: NodeJS.ProcessEnv): Finding[] {
  const what = 'Token';
  if (env.PARLEY_TOKEN) return [{ state: 'good', what, detail: 'from PARLEY_TOKEN' }];
  const file = tokenFile(home);
  if (!existsSync(file)) return [];
  const detail = `${file} is open to others; mend it with: chmod 600 ${file}`;
  return [
    isOpenToOthers(file) ? { state: 'bad', what, detail } : { state: 'good', what, detail: 'only you can read it' },
  ];
}

function isOpenToOthers(file: string): boolean {
  return process.platform !== 'win32' && (statSync(file).mode & 0o077) !== 0;
}

async function configuration(home: string, env: NodeJS.ProcessEnv): Promise<Finding> {
  const what = 'Configuration';
  if (!existsSync(home)) return { state: 'idle', what, detail: 'none yet; the first start writes demo agents' };
  const { checkConfiguration } = await import('../server/config.ts');
  const { valid, issues, agents } = await checkConfiguration(home, env);
  if (!valid) return { state: 'bad', what, detail: safeLine(issues.join('; ')) };
  const missing = agents.filter(({ available }) => !available).map(({ agentId }) => agentId);
  const also = missing.length === 0 ? '' : `; not available: ${missing.join(', ')}`;
  return { state: 'good', what, detail: `${agents.length} agents${also}` };
}

async function server(home: string, env: NodeJS.ProcessEnv): Promise<Finding> {
  const what = 'Server';
  const client = await findServer(home, env);
  if (!client) return { state: 'idle', what, detail: notRunning(home) };
  try {
    await client.getConfiguration();
    return { state: 'good', what, detail: `up at ${client.baseUrl}` };
  } catch (error) {
    return { state: 'bad', what, detail: `at ${client.baseUrl}: ${safeLine((error as Error).message)}` };
  }
}

function notRunning(home: string): string {
  const announced = readAnnouncement(home);
  return announced
    ? `not running; it stopped without saying goodbye (was ${announced.url})`
    : 'not running; commands work without it, `parley serve` starts it';
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
