import type { ServerResponse } from 'node:http';
import type { ConfigurationState } from '../../contract/agents.ts';
import type { Limits } from '../../contract/config.ts';
import { AppError } from '../../contract/errors.ts';
import type { KnowledgeChange } from '../../contract/knowledge.ts';
import type { PanelCommand } from '../../contract/panels.ts';
import { say } from '../../contract/texts.ts';
import type { ArtifactEvent } from '../artifacts/changing.ts';
import { toFrame } from '../events/bus.ts';
import type { SharedStream } from './shared-stream.ts';
import { SseConnection } from './sse.ts';

/** All open streams: how many each person has, and which to close when the server stops. */
export class Streams {
  readonly #limits: () => Limits;
  readonly #ended: (owner: string) => void;
  readonly #open = new Map<string, number>();
  readonly #shared = new Set<SharedStream>();
  readonly #connections = new Set<SseConnection>();

  /** `ended` is told whose stream has ended. */
  constructor(limits: () => Limits, ended: (owner: string) => void) {
    this.#limits = limits;
    this.#ended = ended;
  }

  get count(): number {
    return this.#connections.size;
  }

  /** Shared streams are counted against the person; a turn's own stream ends by itself. */
  assertRoom(owner: string): void {
    const { streamsPerUser } = this.#limits();
    if ((this.#open.get(owner) ?? 0) < streamsPerUser) return;
    throw new AppError('too_many_streams', say('too_many_streams', { limit: streamsPerUser }), {
      retryAfterSeconds: 5,
    });
  }

  open(response: ServerResponse, onClose: () => void = () => {}): SseConnection {
    const { streamBufferBytes, heartbeatMs } = this.#limits();
    const connection: SseConnection = new SseConnection(response, {
      bufferBytes: streamBufferBytes,
      heartbeatMs,
      onClose: () => {
        this.#connections.delete(connection);
        onClose();
      },
    });
    this.#connections.add(connection);
    return connection;
  }

  enter(owner: string, stream: SharedStream): void {
    this.#open.set(owner, (this.#open.get(owner) ?? 0) + 1);
    this.#shared.add(stream);
  }

  leave(owner: string, stream: SharedStream): void {
    if (!this.#shared.delete(stream)) return;
    this.#open.set(owner, (this.#open.get(owner) ?? 1) - 1);
    this.#ended(owner);
  }

  configurationChanged(state: ConfigurationState): void {
    for (const stream of this.#shared) stream.configurationChanged(state);
  }

  templatesChanged(owner: string): void {
    for (const stream of this.#shared) stream.templatesChanged(owner);
  }

  memoryChanged(owner: string, agentId: string): void {
    for (const stream of this.#shared) stream.memoryChanged(owner, agentId);
  }

  webhooksChanged(owner: string): void {
    for (const stream of this.#shared) stream.webhooksChanged(owner);
  }

  artifactChanged(owner: string, event: ArtifactEvent): void {
    const frame = toFrame(event.type, JSON.stringify(event));
    for (const stream of this.#shared) stream.artifactChanged(owner, frame);
  }

  knowledgeChanged(owner: string, change: KnowledgeChange): void {
    const frame = toFrame(change.type, JSON.stringify(change));
    for (const stream of this.#shared) stream.knowledgeChanged(owner, frame);
  }

  /** Whether a shared stream of the person follows a session. */
  follows(owner: string, sessionId: string): boolean {
    return [...this.#shared].some((stream) => stream.follows(owner, sessionId));
  }

  /** False: no stream of the person could take it now. */
  panelCommand(owner: string, command: PanelCommand): boolean {
    const taken = [...this.#shared].map((stream) => stream.panelCommand(owner, command));
    return taken.includes(true);
  }

  stop(): void {
    for (const stream of this.#shared) stream.stopping();
    for (const connection of this.#connections) connection.end();
  }
}
