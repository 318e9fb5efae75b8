import type { ServerResponse } from 'node:http';
import type { Wire } from './peer-wire.ts';

export type State =
  | 'submitted'
  | 'working'
  | 'completed'
  | 'failed'
  | 'canceled'
  | 'rejected'
  | 'input-required'
  | 'auth-required';

export interface PeerMessage {
  messageId: string;
  text: string;
  metadata?: object;
  referenceTaskIds?: string[];
}

export type PeerPart =
  | { text: string }
  | { url: string; name: string }
  | { raw: string; name: string }
  | { data: unknown };

export type PeerUpdate =
  | { type: 'task' }
  | { type: 'status'; state: State; message?: PeerMessage | undefined; metadata?: object }
  | { type: 'artifact'; artifactId: string; parts: PeerPart[]; append: boolean; lastChunk: boolean };

/** A task as the remote agent keeps it. */
export class PeerTask {
  readonly id: string;
  readonly contextId: string;
  readonly artifacts = new Map<string, PeerPart[]>();
  state: State = 'submitted';
  message: PeerMessage | undefined;
  /** What it said while it worked, but for the last. */
  readonly history: PeerMessage[] = [];
  readonly #listeners = new Map<ServerResponse, (update: PeerUpdate) => void>();

  constructor(id: string, contextId: string) {
    this.id = id;
    this.contextId = contextId;
  }

  get listeners(): number {
    return this.#listeners.size;
  }

  subscribe(response: ServerResponse, rpcId: number, wire: Wire, withSnapshot: boolean): void {
    response.writeHead(200, { 'Content-Type': 'text/event-stream' });
    const send = (update: PeerUpdate) => {
      const result = wire.update(this, update);
      response.write(`data: ${JSON.stringify({ jsonrpc: '2.0', id: rpcId, result })}\n\n`);
    };
    this.#listeners.set(response, send);
    response.on('close', () => this.#listeners.delete(response));
    if (withSnapshot) send({ type: 'task' });
    if (isOver(this.state)) response.end();
  }

  tell(update: PeerUpdate): void {
    this.#note(update);
    for (const send of this.#listeners.values()) send(update);
  }

  setState(state: State, message?: PeerMessage, metadata?: object): void {
    this.tell({ type: 'status', state, message, ...(metadata && { metadata }) });
    if (isOver(state)) this.endStreams();
  }

  /** A comment: a sign of life without contents. */
  ping(): void {
    for (const response of this.#listeners.keys()) response.write(': ping\n\n');
  }

  endStreams(): void {
    for (const response of this.#listeners.keys()) response.end();
  }

  breakStreams(): void {
    for (const response of this.#listeners.keys()) response.destroy();
  }

  #note(update: PeerUpdate): void {
    if (update.type === 'status') {
      this.state = update.state;
      if (this.message) this.history.push(this.message);
      this.message = update.message;
    }
    if (update.type !== 'artifact') return;
    const before = update.append ? (this.artifacts.get(update.artifactId) ?? []) : [];
    this.artifacts.set(update.artifactId, [...before, ...update.parts]);
  }
}

export function isOver(state: State): boolean {
  return ['completed', 'failed', 'canceled', 'rejected', 'input-required', 'auth-required'].includes(state);
}
