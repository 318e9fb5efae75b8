import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Question } from '../../contract/actions.ts';
import { ToolSettings } from '../../contract/config.ts';
import { Artifacts } from '../../server/artifacts/artifacts.ts';
import { Bus } from '../../server/events/bus.ts';
import { EventLog } from '../../server/events/log.ts';
import { Files } from '../../server/files/files.ts';
import { MemoriesForTools } from '../../server/memory/kept-memories.ts';
import { Memories } from '../../server/memory/memories.ts';
import { ProcessRegistry } from '../../server/processes/registry.ts';
import { openSqlite, type SqliteStore } from '../../server/storage/sqlite.ts';
import { builtInPlugins } from '../../server/tools/plugins/built-in.ts';
import type { Answer, BackgroundWork, ToolContext } from '../../server/tools/tool.ts';
import { Toolbox } from '../../server/tools/toolbox.ts';
import { Workspaces } from '../../server/workspaces/workspaces.ts';

/** The built-in tools on a real database and a real data folder, without the server around them. */
export class ToolFixture {
  readonly home: string;
  readonly #store: SqliteStore;
  readonly toolbox: Toolbox;
  readonly registry: ProcessRegistry;
  readonly artifacts: Artifacts;
  settings: ToolSettings;
  readonly outputs = new Map<string, string>();
  progress: string[] = [];
  questions: Question[] = [];
  answer: Answer | null = null;
  background: BackgroundWork | undefined;

  private constructor(home: string, store: SqliteStore, settings: object) {
    this.home = home;
    this.#store = store;
    this.settings = ToolSettings.parse(settings);
    const log = new EventLog(store.db, new Bus((error) => console.error(error)));
    const files = new Files(store.db, path.join(home, 'files'), () => 1_000_000);
    this.artifacts = new Artifacts({ events: log, files, keptFileBytes: () => 1_000_000, tell: () => undefined });
    const memories = new Memories({ log, requireAgent: () => undefined, changed: () => undefined });
    this.registry = new ProcessRegistry(path.join(home, 'processes'));
    const builtIn = builtInPlugins({
      kept: this.artifacts.kept,
      memories: new MemoriesForTools(memories),
      workspaces: new Workspaces({
        home,
        settings: () => this.settings,
        ofAgent: () => null,
        ofSession: async () => null,
      }),
      settings: () => this.settings,
      registry: this.registry,
      environment: () => ({ PARLEY_URL: 'http://127.0.0.1:4747' }),
      readOutput: async ({ owner, sessionId }, callId) => this.outputs.get(`${owner} ${sessionId} ${callId}`) ?? null,
    });
    this.toolbox = new Toolbox({ builtIn: () => builtIn, settings: () => this.settings });
  }

  static async open(settings: object = {}): Promise<ToolFixture> {
    const home = mkdtempSync(path.join(os.tmpdir(), 'parley-tools-'));
    return new ToolFixture(home, await openSqlite(path.join(home, 'parley.db'), { synchronous: 'normal' }), settings);
  }

  /** As the server does it: parsed, then executed. Throws what the tool throws. */
  async call(name: string, input: object = {}, who: Partial<ToolContext> = {}): Promise<string> {
    const tool = this.toolbox.find(name)!;
    return (await tool.execute(tool.parse(input), this.context(who))).text;
  }

  async callFully(name: string, input: object = {}, who: Partial<ToolContext> = {}) {
    const tool = this.toolbox.find(name)!;
    return tool.execute(tool.parse(input), this.context(who));
  }

  context(who: Partial<ToolContext> = {}): ToolContext {
    return {
      owner: 'ada',
      agentId: 'helper',
      sessionId: 's1',
      turnId: 't1',
      callId: 'c1',
      hops: 0,
      resumed: false,
      approvedFolder: null,
      signal: new AbortController().signal,
      progress: ({ text }) => void this.progress.push(text ?? ''),
      ask: async (question) => {
        this.questions.push(question);
        return this.answer;
      },
      waiting: async () => {},
      background: async (work) => {
        this.background = work;
        return { sessionId: 'aside', turnId: 't2' };
      },
      attach: () => undefined,
      denies: () => false,
      turnToken: () => 'turn-token',
      ...who,
    };
  }

  async close(): Promise<void> {
    await this.registry.stopAll();
    this.#store.close();
    rmSync(this.home, { recursive: true, force: true });
  }
}

/** The id in what a tool says. */
export function idIn(text: string): string {
  return /\[([0-9a-z]{10})\]/.exec(text)![1]!;
}

export const PERSON = { agentId: null, sessionId: null, turnId: null, turnToken: () => null } as const;
