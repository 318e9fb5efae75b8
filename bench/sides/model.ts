import path from 'node:path';
import { callJson } from '../load/calls.ts';
import type { WireRequest } from '../load/connection.ts';
import { Child } from './child.ts';

/** The scripted model in its own process, beside the load. */
export class Model {
  readonly child: Child;

  private constructor() {
    this.child = new Child('load', [process.execPath, path.join(import.meta.dirname, 'model-server.ts')]);
  }

  static async start(): Promise<Model> {
    const model = new Model();
    await model.child.ready();
    return model;
  }

  get url(): string {
    return this.child.url;
  }

  /** As a server would ask it. */
  turn(text: string): WireRequest {
    const messages = [{ role: 'user', content: text }];
    return { method: 'POST', path: '/v1/chat/completions', body: { model: 'scripted', stream: true, messages } };
  }

  /** What it has said so far, when it counted, and how long the last request was. */
  said(): Promise<{ tokens: number; at: number; lastBytes: number }> {
    return callJson(this.url, { method: 'GET', path: '/stats' });
  }
}

export function ask(tokens: number, delayMs = 0): string {
  return `Go on, please. [[n=${tokens} ms=${delayMs}]]`;
}

/** `time` asks for the time; `latest` and `create` ask another agent: in the newest of its sessions, or in a new one. */
export type Chore = 'todo' | 'time' | 'latest' | 'create';

/** The model asks for this many calls at once before it answers. */
export function askWithCalls(tokens: number, calls: number, chore: Chore): string {
  return `Go on, please. [[n=${tokens} ms=0 calls=${calls} of=${chore}]]`;
}
