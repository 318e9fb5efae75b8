import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { AppError } from '../../contract/errors.ts';
import { isJsonTooDeep } from '../../contract/json-depth.ts';
import { say } from '../../contract/texts.ts';
import { parseWellFormed } from '../../contract/well-formed.ts';
import { unsafeKeys } from '../config/json.ts';
import type { BodyLimits } from './mount.ts';

/** The request's JSON, or undefined when there is no body. Refuses what is too large, too deep or not JSON. */
export async function readJsonBody(incoming: IncomingMessage, limits: BodyLimits): Promise<unknown> {
  const text = (await readBytes(incoming, limits.bodyBytes)).toString('utf8');
  if (text === '') return undefined;
  assertJson(incoming.headers['content-type'] ?? '');
  if (isJsonTooDeep(text, limits.jsonDepth)) {
    throw new AppError('json_too_deep', say('json_too_deep', { limit: limits.jsonDepth }));
  }
  return parseJson(text);
}

/** A compressed body would be stored or parsed as it came. */
export function assertUncompressed(headers: IncomingHttpHeaders): void {
  const encoding = headers['content-encoding'] ?? 'identity';
  if (encoding.trim().toLowerCase() === 'identity') return;
  throw new AppError('unsupported_media_type', say('unsupported_media_type.encoding'));
}

function assertJson(contentType: string): void {
  const [type, ...parameters] = contentType.split(';').map((part) => part.trim().toLowerCase());
  if (type !== 'application/json') throw new AppError('unsupported_media_type', say('unsupported_media_type'));
  const charset = parameters.find((parameter) => parameter.startsWith('charset='))?.slice('charset='.length);
  if (charset === undefined || UTF_8.has(charset)) return;
  throw new AppError('unsupported_media_type', say('unsupported_media_type.charset'));
}

const UTF_8 = new Set(['utf-8', 'utf8', '"utf-8"', '"utf8"', 'us-ascii']);

/**
 * Read from Node's own request: a web-standard one costs as much to make as all the rest of a small request. Stops
 * reading at the limit without tearing down the connection, which still has to carry the answer.
 */
export function readBytes(incoming: IncomingMessage, limit: number): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  if (Number(incoming.headers['content-length'] ?? 0) > limit) return Promise.reject(tooLarge(limit));
  const chunks: Buffer[] = [];
  let size = 0;
  incoming.on('data', (chunk: Buffer) => {
    size += chunk.byteLength;
    if (size <= limit) chunks.push(chunk);
    else {
      incoming.pause();
      reject(tooLarge(limit));
    }
  });
  incoming.on('end', () => resolve(Buffer.concat(chunks)));
  incoming.on('error', reject);
  incoming.on('close', () => {
    if (!incoming.complete) reject(new AppError('invalid_request', say('invalid_request.cut')));
  });
  return promise;
}

function tooLarge(limit: number): AppError {
  return new AppError('body_too_large', say('body_too_large', { limit }));
}

function parseJson(text: string): unknown {
  let value: unknown;
  try {
    value = parseWellFormed(text);
  } catch {
    throw new AppError('invalid_json', say('invalid_json'));
  }
  // An escape may spell any of them.
  const unsafe = /__proto__|constructor|prototype|\\u/.test(text);
  const issues = unsafe ? unsafeKeys(value, { path: [] }) : [];
  if (issues.length > 0) throw new AppError('invalid_request', issues[0]!, { issues });
  return value;
}
