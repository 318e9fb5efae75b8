import http from 'node:http';
import type { WireRequest } from './connection.ts';

const agent = new http.Agent({ keepAlive: true, maxSockets: 64 });

export interface Called {
  status: number;
  text: string;
}

/** An ordinary request over a kept connection; once more on a new one if the server has just closed it. */
export async function call(url: string, request: WireRequest): Promise<Called> {
  try {
    return await send(url, request);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ECONNRESET') throw error;
    return send(url, request);
  }
}

function send(url: string, { method, path, headers = {}, body }: WireRequest): Promise<Called> {
  return new Promise((resolve, reject) => {
    const text = body === undefined ? '' : JSON.stringify(body);
    const content = text && { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(text)) };
    const request = http.request(
      url + path,
      { method, agent, headers: { ...headers, ...(content || {}) } },
      (response) => {
        let answer = '';
        response.setEncoding('utf8').on('data', (piece: string) => {
          answer += piece;
        });
        response.on('end', () => resolve({ status: response.statusCode ?? 0, text: answer }));
        response.on('error', reject);
      },
    );
    request.on('error', reject);
    request.end(text || undefined);
  });
}

export async function callJson<T>(url: string, request: WireRequest): Promise<T> {
  const { status, text } = await call(url, request);
  if (status >= 300) throw new Error(`${request.method} ${request.path}: ${status} ${text.slice(0, 500)}`);
  return JSON.parse(text) as T;
}

/** How long a request takes, in milliseconds. */
export async function timeCall(url: string, request: WireRequest): Promise<number> {
  const startedAt = performance.now();
  const { status, text } = await call(url, request);
  if (status >= 300) throw new Error(`${request.method} ${request.path}: ${status} ${text.slice(0, 500)}`);
  return performance.now() - startedAt;
}

/** Runs `count` pieces of work, a few at a time. */
export async function inParallel<T>(count: number, width: number, work: (index: number) => Promise<T>): Promise<T[]> {
  const results: T[] = new Array(count);
  let next = 0;
  const worker = async () => {
    for (let index = next++; index < count; index = next++) results[index] = await work(index);
  };
  await Promise.all(Array.from({ length: width }, worker));
  return results;
}
