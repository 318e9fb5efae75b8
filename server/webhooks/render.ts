import { AppError } from '../../contract/errors.ts';
import { isJsonTooDeep } from '../../contract/json-depth.ts';
import { say } from '../../contract/texts.ts';

export interface HookRequest {
  readonly body: string;
  /** In lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

export interface RenderLimits {
  readonly jsonDepth: number;
  readonly messageBytes: number;
}

const PLACEHOLDER = /\{\{ {0,4}([\w$][\w$.-]{0,199}) {0,4}\}\}/g;
const MOST_INDENTED = 100_000;
/** Begins only where empty lines begin: a body can be a million of them. */
const LAST_LINES = /(?<!\n)\n+$/;
/** Only these say something about a request; no credential is among them. */
const SHOWN_HEADER = /^(?:x-(?!hub-signature|forwarded|real)[\w-]+|content-type|user-agent)$/;

/**
 * The message of a request: its body in a code block, or a template whose placeholders are replaced by what the body
 * says. What is filled in is never read for placeholders again.
 */
export function renderMessage(template: string | null, request: HookRequest, limits: RenderLimits): string {
  const json = parseBody(request.body, limits.jsonDepth);
  const text =
    template === null
      ? fenced(request.body, json, limits.messageBytes)
      : fill(template, request, json, limits.messageBytes);
  if (Buffer.byteLength(text) > limits.messageBytes) throw tooLarge(limits.messageBytes);
  if (text.trim() === '') throw new AppError('webhook_message_empty', say('webhook_message_empty'));
  // What a person was looking at stands at the very beginning of a message, and only their client writes it.
  return text.startsWith('<context ') ? `\n${text}` : text;
}

/** Undefined for what is not JSON. */
function parseBody(body: string, depth: number): unknown {
  if (!/^\s*[[{"\d\-tfn]/.test(body) || isJsonTooDeep(body, depth)) return undefined;
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

/** The fence is longer than any in the body, so that nothing in it can end the block. */
function fenced(body: string, json: unknown, limit: number): string {
  if (body.trim() === '') return '';
  const text = (json === undefined ? body : written(json, limit)).toWellFormed().replace(LAST_LINES, '');
  const fence = '`'.repeat(Math.max(3, longestRun(text) + 1));
  return `${fence}${json === undefined ? '' : 'json'}\n${text}\n${fence}`;
}

function longestRun(text: string): number {
  let longest = 0;
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  return longest;
}

/** Stops as soon as the message would be too large: a value may be named many times. */
function fill(template: string, request: HookRequest, json: unknown, limit: number): string {
  const pieces: string[] = [];
  let [length, from] = [0, 0];
  const add = (piece: string) => {
    length += piece.length;
    if (length > limit) throw tooLarge(limit);
    pieces.push(piece);
  };
  for (const match of template.matchAll(PLACEHOLDER)) {
    add(template.slice(from, match.index));
    add(valueAt(match[1]!, request, json, limit));
    from = match.index + match[0].length;
  }
  add(template.slice(from));
  return pieces.join('').toWellFormed();
}

function valueAt(path: string, { body, headers }: HookRequest, json: unknown, limit: number): string {
  if (path === 'body') return json === undefined ? body : written(json, limit);
  if (path.startsWith('header.')) return headerOf(path.slice('header.'.length).toLowerCase(), headers);
  let value = json;
  for (const name of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return '';
    value = (value as Record<string, unknown>)[name];
  }
  return wordsOf(value, limit);
}

function headerOf(name: string, headers: HookRequest['headers']): string {
  const value = SHOWN_HEADER.test(name) && Object.hasOwn(headers, name) ? headers[name] : '';
  return Array.isArray(value) ? value.join(', ') : (value ?? '');
}

function wordsOf(value: unknown, limit: number): string {
  if (typeof value === 'string') return value;
  if (value === null || value === undefined) return '';
  return typeof value === 'object' ? written(value, limit) : String(value);
}

/** What is long stays in one line, because indenting it could make it many times as long. */
function written(value: unknown, limit: number): string {
  const most = Math.min(MOST_INDENTED, limit / 2);
  const line = JSON.stringify(value);
  const lines = line.length <= most ? JSON.stringify(value, null, 2) : line;
  return lines.length <= most ? lines : line;
}

function tooLarge(limit: number): AppError {
  return new AppError('message_too_large', say('message_too_large', { limit }));
}
