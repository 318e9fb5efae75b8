import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { AppError } from '../../contract/errors.ts';
import type { ChatSettings } from '../../server/agents/chat/settings.ts';
import type { ResolvedAgent } from '../../server/agents/resolved-agent.ts';
import { Configuration, type ConfigurationOptions } from '../../server/config/configuration.ts';

/** A data folder that is gone when the test is over. */
export function makeHome(files: Record<string, unknown> = {}): string {
  const home = mkdtempSync(join(tmpdir(), 'parley-config-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  for (const [source, content] of Object.entries(files)) put(home, source, content);
  return home;
}

export function put(home: string, source: string, content: unknown): void {
  mkdirSync(dirname(join(home, source)), { recursive: true });
  writeFileSync(join(home, source), typeof content === 'string' ? content : JSON.stringify(content, null, 2));
}

export function text(home: string, source: string): string {
  return readFileSync(join(home, source), 'utf8');
}

export function json(home: string, source: string): Record<string, unknown> {
  return JSON.parse(text(home, source));
}

export async function load(home: string, options: Omit<ConfigurationOptions, 'home'> = {}): Promise<Configuration> {
  const configuration = await Configuration.load({ home, env: {}, watch: false, ...options });
  onTestFinished(() => configuration.close());
  return configuration;
}

/** Loads a configuration of these agents, and gives one of them. */
export async function resolve(agents: unknown[], agentId: string, env: Record<string, string> = {}) {
  const { current } = await load(makeHome({ 'parley.json': { agents } }), { env });
  return current.agents.get(agentId)!;
}

export async function issuesOf(files: Record<string, unknown>, options: Omit<ConfigurationOptions, 'home'> = {}) {
  return issuesIn(makeHome(files), options);
}

/** What is wrong with a data folder, whether it is refused as a whole or without some of its agents. */
export async function issuesIn(home: string, options: Omit<ConfigurationOptions, 'home'> = {}) {
  try {
    return (await load(home, options)).state.issues;
  } catch (error) {
    if (error instanceof AppError) return error.issues ?? [];
    throw error;
  }
}

/** The error a promise is expected to end in. */
export async function refusal(work: Promise<unknown>): Promise<AppError> {
  const outcome = await work.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (outcome instanceof AppError) return outcome;
  throw outcome ?? new Error('It was not refused.');
}

/** What a chat agent works with. */
export function chatSettings(agent: ResolvedAgent): ChatSettings {
  return agent.settings as ChatSettings;
}
