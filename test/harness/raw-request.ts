import { request } from 'node:http';
import type { Parley } from './parley.ts';

export interface RawAnswer {
  status: number;
  headers: NodeJS.Dict<string | string[]>;
  body: string;
}

/** A request with exactly these headers, Host included; `fetch` does not allow that. Reads a stream only until its head. */
export function rawRequest(
  parley: Parley,
  method: string,
  path: string,
  headers: Record<string, string> = {},
  body?: string,
): Promise<RawAnswer> {
  const { port } = new URL(parley.url);
  const { promise, resolve, reject } = Promise.withResolvers<RawAnswer>();
  const sent = request({ host: '127.0.0.1', port, method, path, headers, agent: false }, (response) => {
    const head = { status: response.statusCode ?? 0, headers: response.headers };
    if (String(response.headers['content-type']).startsWith('text/event-stream')) {
      resolve({ ...head, body: '' });
      response.destroy();
      return;
    }
    let text = '';
    response.setEncoding('utf8').on('data', (chunk) => {
      text += chunk;
    });
    response.on('end', () => resolve({ ...head, body: text }));
  });
  sent.on('error', reject);
  sent.setTimeout(10_000, () => sent.destroy(new Error(`${method} ${path}: no answer in ten seconds`)));
  sent.end(body);
  return promise;
}

export function bearer(parley: Parley): Record<string, string> {
  return { Authorization: `Bearer ${parley.token}` };
}
