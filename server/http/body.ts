import type { IncomingMessage } from 'node:http';
import { AppError } from '../../contract/errors.ts';
import { unsafeKeys } from '../agents/definitions/json.ts';
import type { BodyLimits } from './mount.ts';

/** The request's JSON, or undefined when there is no body. Refuses what is too large, too deep or not JSON. */
export async function readJsonBody(incoming: IncomingMessage, limits: BodyLimits): Promise<unknown> {
  const text = await readText(incoming, limits);
  if (text === '') return undefined;
  const type = incoming.headers['content-type']?.split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/json')
    throw new AppError('unsupported_media_type', 'Send JSON with Content-Type: application/json.');
  if (depthOf(text, limits.jsonDepth) > limits.jsonDepth) {
    throw new AppError('json_too_deep', `JSON may be nested ${limits.jsonDepth} levels deep at most.`);
  }
  return parseJson(text);
}

/**
 * Read from Node's own request: a web-standard one costs as much to make as all the rest of a small request. Stops
 * reading at the limit without tearing down the connection, which still has to carry the answer.
 */
function readText(incoming: IncomingMessage, limits: BodyLimits): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  if (Number(incoming.headers['content-length'] ?? 0) > limits.bodyBytes) return Promise.reject(tooLarge(limits));
  const chunks: Buffer[] = [];
  let size = 0;
  incoming.on('data', (chunk: Buffer) => {
    size += chunk.byteLength;
    if (size <= limits.bodyBytes) chunks.push(chunk);
    else {
      incoming.pause();
      reject(tooLarge(limits));
    }
  });
  incoming.on('end', () => resolve(Buffer.concat(chunks).toString('utf8')));
  incoming.on('error', reject);
  incoming.on('close', () => {
    if (!incoming.complete) reject(new AppError('invalid_request', 'The request ended before its body did.'));
  });
  return promise;
}

function tooLarge(limits: BodyLimits): AppError {
  return new AppError('body_too_large', `A request holds at most ${limits.bodyBytes} bytes.`);
}

function parseJson(text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new AppError('invalid_json', 'The body is not valid JSON.');
  }
  // An escape may spell any of them.
  const unsafe = /__proto__|constructor|prototype|\\u/.test(text);
  const issues = unsafe ? unsafeKeys(value, { path: [] }) : [];
  if (issues.length > 0) throw new AppError('invalid_request', issues[0]!, { issues });
  return value;
}

/** How deep brackets nest outside of strings, looking no further than one past the limit. */
function depthOf(text: string, limit: number): number {
  let depth = 0;
  let deepest = 0;
  let inString = false;
  for (let index = 0; index < text.length && deepest <= limit; index++) {
    const code = text.charCodeAt(index);
    if (inString) {
      if (code === BACKSLASH) index += 1;
      else if (code === QUOTE) inString = false;
    } else if (code === QUOTE) inString = true;
    else if (code === OPEN_BRACE || code === OPEN_BRACKET) deepest = Math.max(deepest, ++depth);
    else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) depth -= 1;
  }
  return deepest;
}

const BACKSLASH = 0x5c;
const QUOTE = 0x22;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
