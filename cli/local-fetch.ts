import type { ClientRequest, IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { Answer, FetchInit } from '../client/transport.ts';

/** As long as `fetch` waits. A stream of events says more often that it is there. */
const SILENCE_MS = 300_000;

const LOOPBACK = new Set(['127.0.0.1', '[::1]', 'localhost']);

/**
 * `fetch`, without loading the one of Node to reach a server on this machine: that takes longer than most commands.
 * Proxies, redirects and encryption, which only it knows, are on the way to others.
 */
export function localFetch(url: string, init: FetchInit): Promise<Answer> {
  const { protocol, hostname } = new URL(url);
  return protocol === 'http:' && LOOPBACK.has(hostname) ? send(url, init) : fetch(url, init);
}

async function send(url: string, { method, headers, body, signal }: FetchInit): Promise<Answer> {
  const bytes = body instanceof Blob ? Buffer.from(await body.arrayBuffer()) : body;
  // An `import` of it would load the `fetch` of Node, for names that the module only passes on.
  const { request } = process.getBuiltinModule('node:http');
  const sent = request(url, { method, headers, ...(signal && { signal }) });
  sent.setTimeout(SILENCE_MS, () => sent.destroy(new Error('the server said nothing for five minutes')));
  sent.end(bytes);
  return answerOf(await responseTo(sent));
}

function responseTo(sent: ClientRequest): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  sent.once('response', resolve);
  // As `fetch` fails. What breaks after the response has begun is an error of the response.
  sent.on('error', (cause) => reject(new TypeError('fetch failed', { cause })));
  return promise;
}

function answerOf(response: IncomingMessage): Answer {
  const { statusCode: status = 0, headers } = response;
  return {
    ok: status >= 200 && status < 300,
    status,
    headers: { get: (name) => headers[name.toLowerCase()]?.toString() ?? null },
    get body() {
      return Readable.toWeb(response) as ReadableStream<Uint8Array<ArrayBuffer>>;
    },
    text: async () => new TextDecoder().decode(await buffer(response)),
    blob: async () => new Blob([await buffer(response)], { type: headers['content-type'] ?? '' }),
  };
}
