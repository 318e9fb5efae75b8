import { setTimeout as sleep } from 'node:timers/promises';
import {
  type CallToolResult,
  Client,
  type ClientOptions,
  type ContentBlock,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  type Transport,
} from '@modelcontextprotocol/client';
import { HOPS_META } from '../../../contract/hops.ts';
import { FetchFailure } from '../guarded-fetch-failure.ts';
import { type ToolContext, ToolFailure, type ToolOutput } from '../tool.ts';
import { Call } from './call.ts';
import { CallsUnderWay } from './calls.ts';
import type { Definition } from './definition.ts';
import { describeFailure, httpStatus, ServerFailure, SessionGone } from './failure.ts';
import { HttpTransport, NO_ANSWER } from './http-transport.ts';
import { openTransport, type TransportDeps } from './open-transport.ts';
import { plainText } from './plain-text.ts';
import { type ReadOffer, readOffer } from './read-offer.ts';
import type { Sample } from './sampling.ts';
import { answerServerRequests } from './server-requests.ts';
import type { StdioTransport } from './stdio-transport.ts';

export interface ConnectionDeps extends TransportDeps {
  readonly name: string;
  /** Parley's own. */
  readonly version: string;
  readonly sample: Sample | undefined;
  /** How long it may take to begin, and to say what it offers. */
  readonly startMs: number;
  /** The list of tools is no longer what it was. */
  onToolsChanged(): void;
  /** The connection ended without being closed from this side. */
  onLost(reason: string): void;
  /** Something is not as it should be, but goes on. */
  onTrouble(error: Error): void;
}

/** Nothing of the library's runs out before our own clocks do. */
const FOREVER_MS = 2 ** 31 - 1;
const GOODBYE_MS = 1000;
const MOST_TROUBLES = 5;

/** One server while it is being spoken to. */
export class Connection {
  readonly #deps: ConnectionDeps;
  readonly #transport: StdioTransport | HttpTransport;
  readonly #client: Client;
  readonly #calls = new CallsUnderWay();
  #isOpen = false;
  #troubles = 0;
  #ending: string | undefined;
  #closing: Promise<void> | undefined;

  /** Starts a server, or finds it, and agrees with it on how to speak. Rejects with `ServerFailure`. */
  static async open(deps: ConnectionDeps, signal: AbortSignal): Promise<Connection> {
    const connection = new Connection(deps);
    const stop = () => void connection.close();
    signal.addEventListener('abort', stop, { once: true });
    try {
      signal.throwIfAborted();
      await connection.#open();
      return connection;
    } finally {
      signal.removeEventListener('abort', stop);
    }
  }

  private constructor(deps: ConnectionDeps) {
    const { name: server, version, settings, sample } = deps;
    this.#deps = deps;
    this.#transport = openTransport(deps);
    const maySample = settings.sampling ? sample : undefined;
    this.#client = new Client({ name: 'parley', version }, this.#options(maySample !== undefined));
    this.#client.onclose = () => this.#noteEnd();
    this.#client.onerror = (error) => this.#noteTrouble(error);
    answerServerRequests(this.#client, { server, calls: this.#calls, sample: maySample });
  }

  /** Rejects with `ServerFailure`, or with `SessionGone`. */
  async readOffer(): Promise<ReadOffer> {
    try {
      return await readOffer(this.#client, this.#deps.startMs);
    } catch (error) {
      if (this.#isForgotten(error)) throw new SessionGone(this);
      await this.#noteUnreachable(error);
      throw this.#serverFailure(error);
    }
  }

  /** Rejects with `ToolFailure`, with `SessionGone`, or with the reason for which the turn was stopped. */
  async call(definition: Definition, input: Record<string, unknown>, context: ToolContext): Promise<ToolOutput> {
    const { name, inputSchema } = definition;
    const call = new Call(context, this.#deps.settings.timeoutMs);
    const options = {
      signal: call.signal,
      timeout: FOREVER_MS,
      onprogress: call.progress.bind(call),
      // Without the form of its output, which we have no use for: it is not held against the tool.
      toolDefinition: { name, inputSchema: { ...inputSchema, type: 'object' as const } },
    };
    try {
      const act = () =>
        this.#client.callTool({ name, arguments: input, _meta: { [HOPS_META]: context.hops + 1 } }, options);
      return toOutput(await this.#calls.follow(call, act));
    } catch (error) {
      throw await this.#failure(name, call, error);
    }
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #open(): Promise<void> {
    try {
      await this.#client.connect(this.#transport as Transport, { timeout: this.#deps.startMs });
      this.#isOpen = true;
    } catch (error) {
      const failure = this.#serverFailure(error);
      await this.close();
      throw failure;
    }
  }

  #serverFailure(error: unknown): ServerFailure {
    const ending = this.#ending ?? endingOf(this.#transport);
    if (ending !== undefined) return new ServerFailure(ending);
    const isSlow = error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout;
    return new ServerFailure(isSlow ? tooSlow(this.#deps.startMs) : describeFailure(error));
  }

  /** Older servers over pipes would have to be started twice only to find out how old they are. */
  #options(maySample: boolean): ClientOptions {
    return {
      capabilities: { elicitation: { form: {} }, ...(maySample && { sampling: {} }) },
      versionNegotiation: { mode: this.#deps.settings.url === undefined ? 'legacy' : 'auto' },
      listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged: () => this.#deps.onToolsChanged() } },
    };
  }

  async #failure(tool: string, call: Call, error: unknown): Promise<unknown> {
    const { name: server, settings } = this.#deps;
    if (!call.ended && this.#isForgotten(error)) return new SessionGone(this);
    await this.#noteUnreachable(error);
    const ending = this.#ending ?? endingOf(this.#transport);
    return callFailure({ server, tool, timeoutMs: settings.timeoutMs, ending }, call, error);
  }

  /** By the protocol 404; many say 400. */
  #isForgotten(error: unknown): boolean {
    const status = httpStatus(error);
    const hadSession = this.#transport instanceof HttpTransport && this.#transport.sessionId !== undefined;
    return hadSession && (status === 404 || status === 400);
  }

  async #noteUnreachable(error: unknown): Promise<void> {
    if (error instanceof FetchFailure && error.code === 'unreachable') await this.#lose(error.message);
  }

  #noteEnd(): void {
    if (this.#isOpen && !this.#closing) void this.#lose(endingOf(this.#transport) ?? 'The connection was closed.');
  }

  async #lose(reason: string): Promise<void> {
    if (this.#closing) return;
    this.#ending = reason;
    const closed = this.close();
    this.#deps.onLost(reason);
    await closed;
  }

  /** Told a few times, and without what the server said: a log is no place for that. */
  #noteTrouble({ message }: Error): void {
    if (++this.#troubles <= MOST_TROUBLES) this.#deps.onTrouble(new Error(plainText(message.split(':')[0]!, 200)));
  }

  async #close(): Promise<void> {
    if (this.#transport instanceof HttpTransport && this.#isOpen) await sayGoodbye(this.#transport);
    await this.#client.close().catch(() => undefined);
    await this.#transport.close();
  }
}

function tooSlow(startMs: number): string {
  return `It did not respond within ${startMs / 1000} s.`;
}

async function sayGoodbye(transport: HttpTransport): Promise<void> {
  const said = transport.terminateSession().catch(() => undefined);
  await Promise.race([said, sleep(GOODBYE_MS, undefined, { ref: false })]);
}

function endingOf(transport: StdioTransport | HttpTransport): string | undefined {
  return 'ending' in transport ? transport.ending : undefined;
}

/** What an agent reads of a result. Pictures, sounds and other bytes are named, not shown. */
function toOutput(result: CallToolResult): ToolOutput {
  const content = result.content ?? [];
  const text = content.map(toText).join('\n\n') || structuredText(result.structuredContent);
  return { text, isError: result.isError === true };
}

function structuredText(content: unknown): string {
  return content === undefined ? 'The tool finished without output.' : JSON.stringify(content, null, 2);
}

function toText(block: ContentBlock): string {
  switch (block.type) {
    case 'text':
      return block.text;
    case 'image':
    case 'audio':
      return `[${block.type}, ${block.mimeType}, ${sizeOf(block.data)}]`;
    case 'resource_link':
      return `[resource ${block.name}: ${block.uri}]`;
    case 'resource':
      return resourceText(block.resource);
    default:
      return unknownText(block);
  }
}

function resourceText(resource: { uri: string; mimeType?: string | undefined; text?: string; blob?: string }): string {
  if (resource.text !== undefined) return `[resource ${resource.uri}]\n${resource.text}`;
  return `[resource ${resource.uri}, ${resource.mimeType ?? 'bytes'}, ${sizeOf(resource.blob ?? '')}]`;
}

function sizeOf(base64: string): string {
  return `${Buffer.byteLength(base64, 'base64')} bytes`;
}

/** A later version of the protocol may know more kinds. */
function unknownText(block: never): string {
  return `[${String((block as { type?: unknown }).type)}]`;
}

interface FailedCall {
  readonly server: string;
  readonly tool: string;
  readonly timeoutMs: number;
  /** How the connection ended, when it did. */
  readonly ending: string | undefined;
}

/** What an agent is told of a call that came to no result. A stopped turn gets its own reason back. */
function callFailure({ server, tool, timeoutMs, ending }: FailedCall, call: Call, error: unknown): unknown {
  if (call.context.signal.aborted) return call.context.signal.reason;
  if (call.ended === 'timed-out') {
    return new ToolFailure(
      `${tool} of ${server} did not respond for ${timeoutMs / 1000} s and was stopped.`,
      'timed_out',
    );
  }
  const end = endOf(error, ending);
  if (end !== undefined) {
    const unknown = 'It is unknown whether the tool finished.';
    return new ToolFailure(`${server} exited during the call. ${unknown} ${end}`.trim(), 'mcp_server_failed');
  }
  if (error instanceof ProtocolError) {
    return new ToolFailure(`${server} rejected the call: ${plainText(error.message, 2000)}`, 'mcp_call_refused');
  }
  return new ToolFailure(`Couldn't call ${server}: ${describeFailure(error)}`, 'mcp_server_failed');
}

function endOf(error: unknown, ending = ''): string | undefined {
  if (error instanceof ProtocolError && error.message.startsWith(NO_ANSWER)) return plainText(error.message, 500);
  return error instanceof SdkError && error.code === SdkErrorCode.ConnectionClosed ? ending : undefined;
}
