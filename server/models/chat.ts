import type { IncomingMessage } from 'node:http';
import { HOPS_HEADER } from '../../contract/hops.ts';
import { type Attempt, type Endpoint, ProviderFault } from './attempt.ts';
import { chatBody } from './chat-request.ts';
import { ChatReader } from './chat-stream.ts';
import { post, ResponseText } from './post.ts';
import type { ModelEvent, ModelRequest } from './types.ts';

/**
 * Any server that speaks OpenAI's chat completions. Read by hand rather than through the AI SDK, because at thousands
 * of tokens a second the reading of each chunk is what a server spends its time on.
 */
export function chatAttempt(endpoint: Endpoint): Attempt {
  const url = new URL(endpoint.base);
  url.pathname += '/chat/completions';
  return (request, signal) => new ChatAnswer(url, endpoint, request, signal);
}

type Batch = IteratorResult<readonly ModelEvent[], void>;

/** One answer. An iterator by hand: a generator would add several turns of the microtask queue to each chunk. */
class ChatAnswer implements AsyncIterator<readonly ModelEvent[], void> {
  readonly #url: URL;
  readonly #endpoint: Endpoint;
  readonly #request: ModelRequest;
  readonly #signal: AbortSignal;
  readonly #reader: ChatReader;
  #text: ResponseText | undefined;
  #over = false;

  constructor(url: URL, endpoint: Endpoint, request: ModelRequest, signal: AbortSignal) {
    this.#url = url;
    this.#endpoint = endpoint;
    this.#request = request;
    this.#signal = signal;
    this.#reader = new ChatReader(endpoint.maxEventBytes);
  }

  async next(): Promise<Batch> {
    if (this.#over) return { value: undefined, done: true };
    let piece = this.#text ? await this.#nextPiece(this.#text) : await this.#open();
    for (; piece !== undefined; piece = await this.#nextPiece(this.#text!)) {
      const batch = this.#reader.push(piece);
      if (batch) return { value: batch, done: false };
    }
    return this.#end();
  }

  async return(): Promise<Batch> {
    this.#over = true;
    this.#text?.dismiss();
    return { value: undefined, done: true };
  }

  async #open(): Promise<string | undefined> {
    const { model, apiKey } = this.#endpoint;
    const response = await post(
      this.#url,
      headersFor(apiKey, this.#request),
      chatBody(model, this.#request),
      this.#signal,
    );
    if (!isStream(response)) throw await refusal(response);
    this.#text = new ResponseText(response);
    return isDocument(response) ? asEvent(await this.#text.rest(MAX_DOCUMENT)) : this.#text.next();
  }

  /** The answer is whole once it has a stop reason; a server that then closes slowly or with an error is ignored. */
  #nextPiece(text: ResponseText): Promise<string | undefined> | undefined {
    if (this.#reader.fault) throw this.#reader.fault;
    if (this.#reader.done) return undefined;
    return this.#reader.finished ? text.lastWords(FAREWELL_MS) : text.next();
  }

  #end(): Batch {
    const value = this.#reader.end();
    this.#over = true;
    this.#text?.dismiss();
    return { value, done: false };
  }
}

function headersFor(apiKey: string, { hops }: ModelRequest): Record<string, string> {
  const headers = { 'content-type': 'application/json', accept: 'text/event-stream', 'accept-encoding': 'identity' };
  return {
    ...headers,
    ...(apiKey !== '' && { authorization: `Bearer ${apiKey}` }),
    ...(hops !== undefined && { [HOPS_HEADER]: String(hops) }),
  };
}

const FAREWELL_MS = 2000;
const MAX_DOCUMENT = 8_000_000;
const MAX_ERROR_BODY = 64_000;

function isStream(response: IncomingMessage): boolean {
  return response.statusCode === 200 && !contentType(response).includes('html');
}

/** A server that does not stream sends the same answer as one JSON document: one event without its frame. */
function isDocument(response: IncomingMessage): boolean {
  return contentType(response).includes('json');
}

function asEvent(document: string): string {
  return `data: ${document.replace(/[\r\n]+/g, ' ')}\n\n`;
}

function contentType(response: IncomingMessage): string {
  return response.headers['content-type'] ?? '';
}

async function refusal(response: IncomingMessage): Promise<ProviderFault> {
  const status = response.statusCode ?? 0;
  const body = await errorBody(new ResponseText(response));
  return new ProviderFault(`answered ${status}`, { status, headers: plainHeaders(response), body });
}

/** The words of a refusal are worth having, but a refusal without words is still a refusal. */
async function errorBody(text: ResponseText): Promise<string> {
  try {
    return await text.rest(MAX_ERROR_BODY);
  } catch {
    return '';
  } finally {
    text.dismiss();
  }
}

function plainHeaders(response: IncomingMessage): Record<string, string | undefined> {
  const pairs = Object.entries(response.headers).map(([name, value]) => [name, value?.toString()]);
  return Object.fromEntries(pairs) as Record<string, string | undefined>;
}
