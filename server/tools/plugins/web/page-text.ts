import { TextDecoder } from 'node:util';
import type { GuardedAnswer } from '../../guarded-fetch.ts';
import { ToolFailure } from '../../tool.ts';
import { readPage } from './html-text.ts';

/** What of an answer can be read as text. */
export function textOfAnswer({ headers, body, url }: GuardedAnswer): { title: string; text: string } {
  const type = (headers.get('content-type') ?? '').split(';')[0]!.trim().toLowerCase();
  if (!isText(type, body)) {
    throw new ToolFailure(`${url} is ${type || 'not text'} (${body.length} bytes) and can't be read.`, 'not_text');
  }
  const text = decode(body, headers.get('content-type') ?? '');
  return isHtml(type, text) ? readPage(text, url) : { title: '', text: text.trim() };
}

const TEXT_TYPES =
  /^text\/|^application\/(?:json|xml|javascript|ecmascript|yaml|x-yaml|toml|sql|graphql|x-sh|x-ndjson|ld\+json)$|\+(?:json|xml|yaml)$/;

function isText(type: string, body: Buffer): boolean {
  if (type !== '' && type !== 'application/octet-stream') return TEXT_TYPES.test(type);
  return !body.subarray(0, 4096).includes(0);
}

function isHtml(type: string, text: string): boolean {
  if (type !== '') return type === 'text/html' || type === 'application/xhtml+xml';
  return /^\s{0,100}<(?:!doctype|html|head|body)/i.test(text.slice(0, 200));
}

function decode(body: Buffer, contentType: string): string {
  const declared = /charset\s*=\s*["']?([\w.:-]{1,40})/i;
  const label = declared.exec(contentType)?.[1] ?? declared.exec(body.toString('latin1', 0, 1024))?.[1] ?? 'utf-8';
  return decoderFor(label).decode(body);
}

function decoderFor(label: string): TextDecoder {
  try {
    return new TextDecoder(label);
  } catch {
    return new TextDecoder();
  }
}
