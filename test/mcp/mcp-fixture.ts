import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import type { Question } from '../../contract/actions.ts';
import { McpServer } from '../../contract/config.ts';
import type { ToolCall } from '../../contract/tools.ts';
import { ProcessRegistry } from '../../server/processes/registry.ts';
import { openSqlite } from '../../server/storage/sqlite.ts';
import { McpServers, type McpServersDeps, type McpSettings } from '../../server/tools/mcp/servers.ts';
import type { Answer, Progress, Tool, ToolContext, ToolOutput } from '../../server/tools/tool.ts';
import type { ScriptedOptions } from './scripted-server.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');

type GivenServers = Record<string, Record<string, unknown>>;

/** A data folder with a database, and whatever is opened on it; all of it gone when the test is over. */
export class McpFixture {
  readonly folder = mkdtempSync(path.join(tmpdir(), 'parley-mcp-'));
  readonly registry = new ProcessRegistry(path.join(this.folder, 'processes'));
  readonly reports: string[] = [];
  readonly waits: number[] = [];
  settings: McpSettings;
  readonly #store = openSqlite(path.join(this.folder, 'parley.db'), { synchronous: 'normal' });
  readonly #open: McpServers[] = [];

  constructor(servers: GivenServers) {
    this.settings = parseServers(servers);
    onTestFinished(() => this.#close());
  }

  configure(servers: GivenServers): void {
    this.settings = parseServers(servers);
  }

  async open(more: Partial<McpServersDeps> = {}): Promise<McpServers> {
    const servers = await McpServers.open({
      db: (await this.#store).db,
      settings: () => this.settings,
      environment: process.env,
      folder: this.folder,
      registry: this.registry,
      report: (problem, error) => this.reports.push(`${problem}: ${error instanceof Error ? error.message : error}`),
      waitMs: 60_000,
      // Pauses are noted, not made.
      wait: async (ms) => void this.waits.push(ms),
      ...more,
    });
    this.#open.push(servers);
    return servers;
  }

  /** Opened, and met. */
  async meet(more: Partial<McpServersDeps> = {}): Promise<McpServers> {
    const servers = await this.open(more);
    await servers.ensureKnown();
    return servers;
  }

  async #close(): Promise<void> {
    await Promise.all(this.#open.map((servers) => servers.stop()));
    await this.registry.stopAll();
    await (await this.#store).close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

function parseServers(servers: GivenServers): McpSettings {
  return Object.fromEntries(Object.entries(servers).map(([name, given]) => [name, McpServer.parse(given)]));
}

export function toolOf(servers: McpServers, name: string): Tool {
  const tool = servers.tools().find((each) => each.name === name);
  if (!tool) throw new Error(`There is no ${name} among ${servers.tools().map((each) => each.name)}`);
  return tool;
}

/** A call as a turn makes it: what it showed, what it asked. */
export interface MadeCall {
  readonly shown: Progress[];
  readonly asked: Question[];
  readonly result: Promise<ToolOutput>;
  stop(reason?: Error): void;
}

export interface CallOptions {
  answer?: (question: Question) => Answer | null | Promise<Answer | null>;
  agentId?: string;
  onProgress?: (progress: Progress) => void;
}

let calls = 0;

export function call(tool: Tool, input: unknown = {}, options: CallOptions = {}): MadeCall {
  const abort = new AbortController();
  const shown: Progress[] = [];
  const asked: Question[] = [];
  const agentId = options.agentId ?? 'assistant';
  const context: ToolContext = {
    owner: 'owner',
    agentId,
    sessionId: `session-of-${agentId}`,
    turnId: `turn-of-${agentId}`,
    callId: `call-${++calls}` satisfies ToolCall['id'],
    hops: 0,
    resumed: false,
    approvedFolder: null,
    signal: abort.signal,
    progress(progress) {
      shown.push(progress);
      options.onProgress?.(progress);
    },
    async ask(question) {
      asked.push(question);
      return (await options.answer?.(question)) ?? null;
    },
    waiting: async () => {},
    background: () => Promise.reject(new Error('not here')),
    attach: () => undefined,
    denies: () => false,
    turnToken: () => null,
  };
  const result = (async () => tool.execute(tool.parse(input), context))();
  result.catch(() => undefined);
  return { shown, asked, result, stop: (reason = new Error('stopped')) => abort.abort(reason) };
}

/** The reason for which a promise is expected to be rejected. */
export async function failure(work: Promise<unknown>): Promise<Error & { code?: string }> {
  const outcome = await work.then(
    (value) => new Error(`It succeeded with ${JSON.stringify(value)}.`),
    (error: unknown) => error,
  );
  return outcome as Error;
}

/** Waits until something holds, however slow the machine is. */
export async function until<T>(look: () => T | undefined | false | Promise<T | undefined | false>): Promise<T> {
  for (;;) {
    const found = await look();
    if (found) return found;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

export function node(script: string, ...args: string[]) {
  return { command: process.execPath, args: [path.resolve(ROOT, script), ...args] };
}

/** The scripted server as a program. */
export function scripted(options: ScriptedOptions = {}, more: object = {}) {
  return { ...node('test/mcp/scripted-stdio.ts', JSON.stringify(options)), ...more };
}

export const reference = {
  everything: (...args: string[]) =>
    node('node_modules/@modelcontextprotocol/server-everything/dist/index.js', ...args),
  filesystem: (folder: string) => node('node_modules/@modelcontextprotocol/server-filesystem/dist/index.js', folder),
  memory: () => node('node_modules/@modelcontextprotocol/server-memory/dist/index.js'),
};
