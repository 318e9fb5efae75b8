import type { Ctx } from '../../http/mount.ts';
import type { SseConnection } from '../../http/sse.ts';
import type { ProtocolDeps } from '../protocol.ts';
import type { AnswerEvent } from './answer.ts';

/** An event stream as OpenAI's clients read it. While nothing is said, its comments keep the connection alive. */
export class DataStream {
  readonly #connection: SseConnection;
  readonly #events: AsyncGenerator<AnswerEvent>;

  constructor(deps: ProtocolDeps, c: Ctx, events: AsyncGenerator<AnswerEvent>) {
    this.#events = events;
    // A client that leaves stops listening, not the turn.
    this.#connection = deps.openStream(c, () => void events.return(undefined));
  }

  send(data: object): void {
    const { type } = data as { type?: unknown };
    const name = typeof type === 'string' ? `event: ${type}\n` : '';
    this.#write(`${name}data: ${JSON.stringify(data)}\n\n`);
  }

  /** In the background: the answer goes on after the route has returned. */
  follow(take: (event: AnswerEvent) => void): void {
    this.#follow(take).catch(() => this.end());
  }

  done(): void {
    this.#write('data: [DONE]\n\n');
    this.end();
  }

  end(): void {
    this.#connection.end();
  }

  async #follow(take: (event: AnswerEvent) => void): Promise<void> {
    for await (const event of this.#events) {
      if (this.#connection.isClosed) return;
      take(event);
      await this.#connection.drained();
    }
    this.end();
  }

  #write(content: string): void {
    this.#connection.send({ content, bytes: Buffer.byteLength(content) });
  }
}
