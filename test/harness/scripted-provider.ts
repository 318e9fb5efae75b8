import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { parseArgs } from 'node:util';
import { play } from './scripted-play.ts';
import { type Gate, gate, type Script } from './scripted-script.ts';
import { wireFor } from './scripted-wire.ts';
import { scriptFromWords } from './scripted-words.ts';

/**
 * A model provider that does as it is told: a real HTTP server that speaks OpenAI Responses (`/v1/responses`), chat
 * completions (`/v1/chat/completions`) and Anthropic Messages (`/v1/messages`), well or badly.
 *
 * In a test: `const provider = await ScriptedProvider.start(); provider.script((request) => ({ steps: text('Hi') }))`.
 * On its own: `node test/harness/scripted-provider.ts --port 0` prints its URL and obeys the magic words that
 * `scripted-words.ts` lists.
 */
export class ScriptedProvider {
  /** Every request so far, oldest first; empty when recording is off. */
  readonly requests: RecordedRequest[] = [];
  readonly #server: Server;
  readonly #record: boolean;
  readonly #seen = new Map<string, number>();
  #release: Gate = gate();
  /** Until told otherwise, the last user message says what to do, and is said back when it does not. */
  #choose: ChooseScript = ({ said }) => scriptFromWords(said, this.#release.until, (key) => this.#timesSeen(key));

  constructor({ record = true }: { record?: boolean } = {}) {
    this.#record = record;
    this.#server = createServer((request, response) => void this.#answer(request, response));
  }

  static async start(options: { port?: number; record?: boolean } = {}): Promise<ScriptedProvider> {
    const provider = new ScriptedProvider(options);
    await new Promise<void>((resolve) => provider.#server.listen(options.port ?? 0, '127.0.0.1', resolve));
    return provider;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** From now on, each request is answered with what `choose` returns for it. */
  script(choose: ChooseScript): void {
    this.#choose = choose;
  }

  /** Lets go of everything that `[[hold]]` holds. */
  release(): void {
    this.#release.open();
    this.#release = gate();
  }

  async close(): Promise<void> {
    this.#release.open();
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #timesSeen(key: string): number {
    const times = (this.#seen.get(key) ?? 0) + 1;
    this.#seen.set(key, times);
    return times;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url ?? '/';
    const body = await readJson(request);
    const wire = wireFor(path.split('?')[0] ?? '', String(body.model ?? 'scripted'));
    if (!wire) return this.#answerOther(path, response);
    const recorded = recordOf(request, body, response);
    if (this.#record) this.requests.push(recorded);
    await play(this.#choose(recorded), wire, response);
  }

  #answerOther(path: string, response: ServerResponse): void {
    if (path === '/__release') this.release();
    const known = path === '/__release' || path.endsWith('/models');
    response.writeHead(known ? 200 : 404, { 'content-type': 'application/json' });
    response.end(
      known ? '{"object":"list","data":[{"id":"scripted","object":"model"}]}' : '{"error":{"message":"not found"}}',
    );
  }
}

export type ChooseScript = (request: RecordedRequest) => Script;

export interface RecordedRequest {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: Record<string, unknown>;
  /** The text of the last user message, whichever protocol it came in, without what the server says of its sender. */
  said: string;
  at: number;
  /** The client's: two requests with the same one came over the same connection. */
  port: number | undefined;
  /** When the client closed the connection before the answer was complete. */
  abortedAt?: number;
  /** Settles when the connection of this answer is done with, one way or the other. */
  closed: Promise<void>;
}

/** A URL at which nobody listens. */
export async function closedPort(): Promise<string> {
  const provider = await ScriptedProvider.start();
  const { url } = provider;
  await provider.close();
  return url;
}

async function readJson(request: IncomingMessage): Promise<Record<string, unknown>> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return chunks.length === 0 ? {} : (JSON.parse(Buffer.concat(chunks).toString()) as Record<string, unknown>);
}

function recordOf(request: IncomingMessage, body: Record<string, unknown>, response: ServerResponse): RecordedRequest {
  const { method = '', url = '', headers } = request;
  const closed = Promise.withResolvers<void>();
  const recorded: RecordedRequest = {
    method,
    path: url,
    headers,
    body,
    said: lastUserText(body).replace(/\n\n\[The message above [^\]]*\]$/, ''),
    at: Date.now(),
    port: request.socket.remotePort,
    closed: closed.promise,
  };
  response.on('close', () => {
    if (!response.writableEnded) recorded.abortedAt = Date.now();
    closed.resolve();
  });
  return recorded;
}

function lastUserText(body: Record<string, unknown>): string {
  const messages = (body.messages ?? body.input ?? []) as readonly { role?: string; content?: unknown }[];
  const content = messages.findLast(({ role }) => role === 'user')?.content;
  if (typeof content === 'string') return content.split('\n\n[Next message:]\n\n').at(-1)!;
  return ((content ?? []) as readonly { text?: string }[]).map(({ text }) => text ?? '').join('');
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { port: { type: 'string', default: '0' } } });
  const provider = await ScriptedProvider.start({ port: Number(values.port), record: false });
  console.log(provider.url);
}
