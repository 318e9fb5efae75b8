import path from 'node:path';
import type { WireRequest } from '../load/connection.ts';
import { Child } from './child.ts';
import type { Side } from './side.ts';

const PROGRAM = path.join(import.meta.dirname, 'bare-reader.mjs');

/** Reads the same bytes as an adapter, and passes them on. */
export class BareReader implements Side {
  readonly name = 'bare reader';
  readonly child: Child;

  constructor(kind: 'program' | 'a2a' | 'external', target: string) {
    this.child = new Child('server', [process.execPath, PROGRAM, kind, target]);
  }

  async open(): Promise<string> {
    return 'one';
  }

  turn(_conversation: string, text: string): WireRequest {
    return { method: 'POST', path: '/chat', body: { text } };
  }

  list(): WireRequest {
    throw new Error('It keeps nothing.');
  }

  stop(): Promise<void> {
    return this.child.stop();
  }
}
