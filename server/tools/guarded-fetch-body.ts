import type { IncomingMessage } from 'node:http';
import { PassThrough, pipeline, Readable, type Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib';
import { FetchFailure } from './guarded-fetch-failure.ts';

/** What was meant, after decompression, in small pieces. */
export function decodedBody(message: IncomingMessage, method: string): Readable {
  if (hasNoBody(message.statusCode!, method)) {
    message.resume();
    return Readable.from([]);
  }
  const encoding = (message.headers['content-encoding'] ?? 'identity').trim().toLowerCase();
  if (encoding === 'identity' || encoding === '') return message;
  if (encoding === 'deflate') return inflated(message);
  const decoder = decoderFor(encoding);
  if (decoder) return join(message, decoder);
  message.destroy();
  throw new FetchFailure('The response uses an unsupported compression.', 'unreadable');
}

export function hasNoBody(status: number, method: string): boolean {
  return method === 'HEAD' || status === 204 || status === 205 || status === 304;
}

/** Headers that still say something about what is handed on. */
export function decodedHeaders(message: IncomingMessage): Headers {
  const headers = new Headers();
  const { rawHeaders } = message;
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) headers.append(rawHeaders[at]!, rawHeaders[at + 1]!);
  if (headers.has('content-encoding')) headers.delete('content-length');
  headers.delete('content-encoding');
  return headers;
}

/** The end of a body is not seen when the sender goes on for ever; this many bytes are. */
export async function readBounded(body: Readable, maxBytes: number): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of body as AsyncIterable<Buffer>) {
    size += piece.length;
    if (size > maxBytes) throw tooLarge(maxBytes);
    pieces.push(piece);
  }
  return Buffer.concat(pieces, size);
}

export function tooLarge(maxBytes: number): FetchFailure {
  return new FetchFailure(`The response is larger than ${maxBytes} bytes.`, 'too_large');
}

function decoderFor(encoding: string): Transform | undefined {
  if (encoding === 'gzip' || encoding === 'x-gzip') return createGunzip();
  return encoding === 'br' ? createBrotliDecompress() : undefined;
}

/** Servers disagree whether deflate has a header; its first byte tells. */
function inflated(message: IncomingMessage): Readable {
  const body = new PassThrough();
  message.once('readable', () => {
    const first: Buffer | null = message.read();
    if (first === null) return body.end();
    message.unshift(first);
    const hasHeader = (first[0]! & 0x0f) === 8;
    pipeline(message, hasHeader ? createInflate() : createInflateRaw(), body, () => {});
  });
  message.once('error', (error) => body.destroy(error));
  body.once('close', () => message.destroy());
  return body;
}

/** An end of either is the end of both. */
function join(message: IncomingMessage, decoder: Transform): Readable {
  pipeline(message, decoder, () => {});
  return decoder;
}
