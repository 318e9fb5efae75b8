import { existsSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import type { FileInfo } from '../../contract/files.ts';
import { until } from '../harness/parley.ts';
import { ScriptedAgents } from './scripted-agents.ts';
import { TestServer } from './test-server.ts';

/** So many bytes a file may have here. */
export const LIMIT = 300_000;

/** A server with agents that are shown texts, images or nothing of what is attached, and what is filed on it. */
export class Filing {
  readonly server: TestServer;
  readonly scripted: ScriptedAgents;

  private constructor(server: TestServer) {
    this.server = server;
    this.scripted = new ScriptedAgents(server.provider);
  }

  static async start(): Promise<Filing> {
    const server = await TestServer.start({
      agents: [
        'ada',
        'bob',
        'eve',
        { agentId: 'sees', extends: 'ada', chat: { model: 'model-of-sees', attachments: ['text', 'image'] } },
        { agentId: 'blind', extends: 'ada', chat: { model: 'model-of-blind', attachments: [] } },
      ],
      config: { limits: { fileBytes: LIMIT, filesPerMessage: 3 } },
    });
    return new Filing(server);
  }

  async send(contents: string | Uint8Array, name = 'notes.txt', type = 'text/plain'): Promise<FileInfo> {
    const answer = await this.upload(contents, name, type);
    expect([answer.status, answer.body]).toEqual([201, expect.anything()]);
    return answer.body as FileInfo;
  }

  async upload(contents: string | Uint8Array, name: string, type: string) {
    const { url, token } = this.server.parley;
    const response = await fetch(`${url}/api/files?name=${encodeURIComponent(name)}`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}`, ...(type && { 'Content-Type': type }) },
      body: Buffer.from(contents),
    });
    return { status: response.status, headers: response.headers, body: await response.json() };
  }

  read(fileId: string, query = '', headers = {}): Promise<Response> {
    return this.server.parley.fetch('GET', `/api/files/${fileId}${query}`, undefined, headers);
  }

  onDisk(id: string): string {
    return path.join(this.server.parley.home, 'files', id);
  }

  async gone(id: string): Promise<void> {
    await until(
      async () => existsSync(this.onDisk(id)),
      (there) => !there,
    );
  }
}
