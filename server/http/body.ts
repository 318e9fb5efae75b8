import { AppError } from '../../contract/errors.ts';
import { unsafeKeys } from '../agents/definitions/json.ts';
import type { BodyLimits } from './mount.ts';

/** The request's JSON, or undefined when there is no body. Refuses what is too large, too deep or not JSON. */
export async function readJsonBody(request: Request, limits: BodyLimits): Promise<unknown> {
  if (Number(request.headers.get('content-length') ?? 0) > limits.bodyBytes) throw tooLarge(limits);
  const text = await readText(request, limits);
  if (text === '') return undefined;
  const type = request.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/json')
    throw new AppError('unsupported_media_type', 'Send JSON with Content-Type: application/json.');
  if (depthOf(text, limits.jsonDepth) > limits.jsonDepth) {
    throw new AppError('json_too_deep', `JSON may be nested ${limits.jsonDepth} levels deep at most.`);
  }
  return parseJson(text);
}

function tooLarge(limits: BodyLimits): AppError {
  return new AppError('body_too_large', `A request holds at most ${limits.bodyBytes} bytes.`);
}

async function readText(request: Request, limits: BodyLimits): Promise<string> {
  if (!request.body) return '';
  if (request.headers.has('content-length')) return request.text();
  const decoder = new TextDecoder();
  let size = 0;
  let text = '';
  for await (const chunk of request.body) {
    size += chunk.byteLength;
    if (size > limits.bodyBytes) throw tooLarge(limits);
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

function parseJson(text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new AppError('invalid_json', 'The body is not valid JSON.');
  }
  const unsafe = text.includes('__proto__') || text.includes('constructor') || text.includes('prototype');
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
