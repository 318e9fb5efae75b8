import { ID_PATTERN } from './id-pattern.ts';
import { withoutUnseenCharacters } from './unseen-characters.ts';

/** What the person was looking at when they wrote a message. It tells an agent what "these" are, and allows nothing. */
export interface MessageContext {
  readonly panelId: string;
  readonly panelType: string;
  readonly panelTitle: string;
  /** The item that is open in the panel. */
  readonly item?: { readonly type: string; readonly id: string; readonly name: string };
  /** Instead of an item, when the panel shows a view. */
  readonly view?: { readonly name: string; readonly query: string };
  /** Ids of the selected items. */
  readonly selection: readonly string[];
  /** The kind of reply that is wanted, for example `brief`. */
  readonly mode?: string;
}

const MOST_NAME = 200;
const MOST_QUERY = 2000;
const MOST_WORD = 40;
export const MOST_SELECTED = 500;

/** In the order in which they are written. */
const ATTRIBUTES = [
  'panel-id',
  'panel-type',
  'panel-title',
  'type',
  'id',
  'name',
  'view-name',
  'view-query',
  'selection',
  'mode',
] as const;
type Attribute = (typeof ATTRIBUTES)[number];
type Attributes = Partial<Record<Attribute, string>>;

/** The line that a client writes before the person's own words: one line, whatever the names in it contain. */
export function writeContextLine(context: MessageContext): string {
  const attributes = toAttributes(context);
  const written = ATTRIBUTES.flatMap((name) => {
    const value = attributes[name];
    return value === undefined ? [] : [`${name}="${escapeValue(value)}"`];
  });
  return `<context ${written.join(' ')} />`;
}

export function withContextLine(context: MessageContext, text: string): string {
  return `${writeContextLine(context)}\n${text}`;
}

function toAttributes({ panelId, panelType, panelTitle, item, view, selection, mode }: MessageContext): Attributes {
  const kind = plain(mode ?? '', MOST_WORD);
  const selected = selection.filter((id) => ID_PATTERN.test(id)).slice(0, MOST_SELECTED);
  return {
    'panel-id': plain(panelId, MOST_NAME),
    'panel-type': plain(panelType, MOST_WORD),
    'panel-title': plain(panelTitle, MOST_NAME),
    ...(item &&
      !view && { type: plain(item.type, MOST_WORD), id: plain(item.id, MOST_NAME), name: plain(item.name, MOST_NAME) }),
    ...(view && { 'view-name': plain(view.name, MOST_NAME), 'view-query': plain(view.query, MOST_QUERY) }),
    ...(selected.length > 0 && { selection: selected.join(',') }),
    ...(kind && { mode: kind }),
  };
}

/** One line of characters that can be seen, of at most so many UTF-16 units. What is plain already stays as it is. */
function plain(value: string, length: number): string {
  const line = toLine(value.slice(0, length * 4).toWellFormed());
  if (line.length <= length) return line;
  const cut = line.slice(0, length - 1);
  // A sequence of characters that the cut has parted may leave one behind that cannot be seen.
  return `${toLine(/[\uD800-\uDBFF]$/.test(cut) ? cut.slice(0, -1) : cut)}…`;
}

function toLine(value: string): string {
  return withoutUnseenCharacters(value.replace(/\s+/g, ' ')).replace(/\s+/g, ' ').trim();
}

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const CHARACTERS: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"' };

function escapeValue(value: string): string {
  return value.replace(/[&<>"]/g, (character) => ESCAPES[character]!);
}

function unescapeValue(value: string): string {
  return value.replace(/&(amp|lt|gt|quot);/g, (_, name: string) => CHARACTERS[name]!);
}

/** Longer than any line that is written here. */
const MOST_LINE = 100_000;
const LINE = /^<context((?: [a-z-]+="[^"<>\n\r]*")+) \/>$/;
const ATTRIBUTE = / ([a-z-]+)="([^"]*)"/g;

/**
 * The context that a message begins with, and the person's own words after it. Null unless the line is exactly as
 * `writeContextLine` writes it: anything else is part of the words.
 */
export function readContextLine(text: string): { context: MessageContext; words: string } | null {
  if (!text.startsWith('<context ')) return null;
  const end = text.indexOf('\n');
  if (end < 0 || end > MOST_LINE) return null;
  const line = text.slice(0, end);
  const attributes = LINE.exec(line)?.[1];
  const context = attributes === undefined ? null : toContext(attributes);
  return context && writeContextLine(context) === line ? { context, words: text.slice(end + 1) } : null;
}

/** The person's own words. */
export function withoutContextLine(text: string): string {
  return readContextLine(text)?.words ?? text;
}

/** The words of a message as they are shown: only a person's message has a context line. */
export function ownWords({ role, agent, text }: { role: string; agent: string | null; text: string }): string {
  return role === 'user' && agent === null ? withoutContextLine(text) : text;
}

/** Other words under the context line of a message, if it has one. */
export function withSameContext(text: string, words: string): string {
  const read = readContextLine(text);
  return read ? withContextLine(read.context, words) : words;
}

/** For people, in a few words: what was open, and how much of it was selected. */
export function describeContext({ panelTitle, item, view, selection }: MessageContext): string {
  const shown = item?.name ?? view?.name ?? panelTitle;
  if (selection.length === 0) return shown;
  return `${shown}, ${selection.length} selected`;
}

function toContext(written: string): MessageContext | null {
  const found = new Map<string, string>();
  for (const [, name, value] of written.matchAll(ATTRIBUTE)) found.set(name!, unescapeValue(value!));
  const get = (name: Attribute) => found.get(name);
  const [panelId, panelType, panelTitle] = [get('panel-id'), get('panel-type'), get('panel-title')];
  if (panelId === undefined || panelType === undefined || panelTitle === undefined) return null;
  const [type, id, name] = [get('type'), get('id'), get('name')];
  const [viewName, query, mode] = [get('view-name'), get('view-query'), get('mode')];
  return {
    panelId,
    panelType,
    panelTitle,
    ...(type !== undefined && id !== undefined && name !== undefined && { item: { type, id, name } }),
    ...(viewName !== undefined && query !== undefined && { view: { name: viewName, query } }),
    selection: get('selection')?.split(',') ?? [],
    ...(mode !== undefined && { mode }),
  };
}
