import type { IncomingMessage } from 'node:http';
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
  return (request, signal) => streamChat(url, endpoint, request, signal);
}

async function* streamChat(
  url: URL,
  { model, apiKey, maxEventBytes }: Endpoint,
  request: ModelRequest,
  signal: AbortSignal,
): AsyncGenerator<readonly ModelEvent[], void> {
  const response = await post(url, headersFor(apiKey), chatBody(model, request), signal);
  if (!isStream(response)) throw await refusal(response);
  const text = new ResponseText(response);
  const reader = new ChatReader(maxEventBytes);
  try {
    for (let piece = await firstPiece(response, text); piece !== undefined; piece = await nextPiece(text, reader)) {
      const batch = reader.push(piece);
      if (batch) yield batch;
      if (reader.fault) throw reader.fault;
      if (reader.done) break;
    }
    yield reader.end();
  } finally {
    text.dismiss();
  }
}

function headersFor(apiKey: string): Record<string, string> {
  const headers = { 'content-type': 'application/json', accept: 'text/event-stream', 'accept-encoding': 'identity' };
  return apiKey !== '' ? { ...headers, authorization: `Bearer ${apiKey}` } : headers;
}

/** A server that does not stream sends the same answer as one JSON document: one event without its frame. */
async function firstPiece(response: IncomingMessage, text: ResponseText): Promise<string | undefined> {
  if (!contentType(response).includes('json')) return text.next();
  const document = (await text.rest(MAX_DOCUMENT)).replace(/[\r\n]+/g, ' ');
  return `data: ${document}\n\n`;
}

/** Once the model has said why it stopped the answer is whole, and a server that is slow or rude to close is ignored. */
function nextPiece(text: ResponseText, reader: ChatReader): Promise<string | undefined> {
  return reader.finished ? text.lastWords(FAREWELL_MS) : text.next();
}

const FAREWELL_MS = 2000;
const MAX_DOCUMENT = 8_000_000;
const MAX_ERROR_BODY = 64_000;

function isStream(response: IncomingMessage): boolean {
  return response.statusCode === 200 && !contentType(response).includes('html');
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
