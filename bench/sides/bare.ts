import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { callJson } from '../load/calls.ts';
import type { WireRequest } from '../load/connection.ts';
import { Child } from './child.ts';
import type { Side } from './side.ts';

const PROGRAM = path.join(import.meta.dirname, 'bare-server.mjs');

export interface BareOptions {
  modelUrl: string;
  sqlite: boolean;
  /** It offers tools to the model and carries out what the model asks for. */
  tools?: boolean;
  /** A folder that is kept; without it a new one goes away with the server. */
  home?: string;
  port?: number;
}

export class Bare implements Side {
  readonly name: string;
  readonly child: Child;
  readonly home: string;
  readonly #isKept: boolean;

  constructor({ modelUrl, sqlite, tools = false, home, port = 0 }: BareOptions) {
    this.name = sqlite ? 'bare-sqlite' : 'bare';
    this.#isKept = home !== undefined;
    this.home = home ?? mkdtempSync(path.join(tmpdir(), 'parley-bench-bare-'));
    const storage = sqlite ? ['--db', bareDatabase(this.home)] : [];
    this.child = new Child('server', [
      process.execPath,
      PROGRAM,
      '--model',
      modelUrl,
      '--port',
      String(port),
      ...storage,
      ...(tools ? ['--tools'] : []),
    ]);
  }

  static async start(options: BareOptions): Promise<Bare> {
    const bare = new Bare(options);
    await bare.child.ready();
    return bare;
  }

  async open(_agentId?: string): Promise<string> {
    return (await callJson<{ id: string }>(this.child.url, { method: 'POST', path: '/conversations' })).id;
  }

  turn(conversation: string, text: string): WireRequest {
    return { method: 'POST', path: '/chat', body: { conversation, text } };
  }

  list(limit: number): WireRequest {
    return { method: 'GET', path: `/conversations?limit=${limit}` };
  }

  async stop(): Promise<void> {
    await this.child.stop('SIGKILL');
    if (!this.#isKept) rmSync(this.home, { recursive: true, force: true });
  }
}

export function bareDatabase(home: string): string {
  return path.join(home, 'bare.db');
}
