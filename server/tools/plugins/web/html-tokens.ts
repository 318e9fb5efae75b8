import { decodeEntities } from './entities.ts';

export type HtmlToken =
  | { kind: 'text'; text: string }
  | { kind: 'open'; name: string; attributes: ReadonlyMap<string, string> }
  | { kind: 'close'; name: string };

const TAG = /<(\/?)([A-Za-z][A-Za-z0-9:-]{0,63})/y;
const ATTRIBUTE = /[\s/]*([^\s/>="'][^\s/>=]{0,255})(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>"']*)))?/y;
const OPAQUE = new Set(['script', 'style', 'title', 'textarea', 'xmp', 'iframe', 'noembed', 'noframes']);

/** Goes over a page once, from its beginning to its end, and never back, whatever is wrong with it. */
export function* tokensOf(html: string): Generator<HtmlToken> {
  for (let at = 0; at < html.length; ) {
    const start = html.indexOf('<', at);
    if (start !== at) yield textOf(html, at, start < 0 ? html.length : start);
    if (start < 0) return;
    const tag = readTag(html, start);
    if (tag.token) yield tag.token;
    at = tag.end;
    if (tag.token?.kind !== 'open' || !OPAQUE.has(tag.token.name)) continue;
    const end = endOfOpaque(html, at, tag.token.name);
    if (end > at) yield textOf(html, at, end);
    at = end;
  }
}

function textOf(html: string, from: number, to: number): HtmlToken {
  return { kind: 'text', text: decodeEntities(html.slice(from, to)) };
}

/** What looks like a tag and is none is text. */
function readTag(html: string, start: number): { token: HtmlToken | undefined; end: number } {
  if (html.startsWith('<!--', start)) return { token: undefined, end: after(html, '-->', start + 4) };
  if (html[start + 1] === '!' || html[start + 1] === '?') return { token: undefined, end: after(html, '>', start) };
  TAG.lastIndex = start;
  const found = TAG.exec(html);
  if (!found) return { token: { kind: 'text', text: '<' }, end: start + 1 };
  const name = found[2]!.toLowerCase();
  const { attributes, end } = readAttributes(html, TAG.lastIndex);
  return { token: found[1] ? { kind: 'close', name } : { kind: 'open', name, attributes }, end };
}

function readAttributes(html: string, start: number): { attributes: Map<string, string>; end: number } {
  const attributes = new Map<string, string>();
  let at = start;
  for (;;) {
    ATTRIBUTE.lastIndex = at;
    const found = ATTRIBUTE.exec(html);
    if (!found) return { attributes, end: after(html, '>', at) };
    const name = found[1]!.toLowerCase();
    if (!attributes.has(name)) attributes.set(name, decodeEntities(found[2] ?? found[3] ?? found[4] ?? ''));
    at = ATTRIBUTE.lastIndex;
  }
}

function after(html: string, mark: string, from: number): number {
  const found = html.indexOf(mark, from);
  return found < 0 ? html.length : found + mark.length;
}

function endOfOpaque(html: string, from: number, name: string): number {
  const end = new RegExp(`</${name}`, 'gi');
  end.lastIndex = from;
  return end.exec(html)?.index ?? html.length;
}
