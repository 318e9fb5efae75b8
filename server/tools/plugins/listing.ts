import type { Item } from './items.ts';

export interface Page<T> {
  items: T[];
  /** There are others after these. */
  hasMore: boolean;
}

/** The first ones that pass, and whether there are more. */
export async function takePage<T>(
  items: AsyncIterable<T>,
  passes: (item: T) => boolean,
  limit: number,
): Promise<Page<T>> {
  const page: Page<T> = { items: [], hasMore: false };
  for await (const item of items) {
    if (!passes(item)) continue;
    page.hasMore = page.items.length === limit;
    if (page.hasMore) break;
    page.items.push(item);
  }
  return page;
}

/** Whether every word of a query occurs somewhere, case and accents aside. */
export function matcherOf(query: string): (...texts: readonly string[]) => boolean {
  const words = fold(query).split(/\s+/).filter(Boolean);
  return (...texts) => {
    const all = fold(texts.join('\n'));
    return words.every((word) => all.includes(word));
  };
}

function fold(text: string): string {
  return text.toLowerCase().normalize('NFD').replace(/\p{M}/gu, '');
}

export function hasTag(item: Item<{ tags: string[] }>, tag: string | undefined): boolean {
  return isAmong(item.data.tags, tag);
}

export function isAmong(tags: readonly string[], tag: string | undefined): boolean {
  return tag === undefined || tags.some((own) => fold(own) === fold(tag));
}

/** A heading, the entries, and how to go on where there are more. */
export function showPage<T extends { id: string }>(
  heading: string,
  page: Page<T>,
  show: (item: T) => string,
  canGoOn = true,
): string {
  const lines = [heading, ...page.items.map(show)];
  const last = page.items.at(-1);
  if (page.hasMore && last)
    lines.push(canGoOn ? `More: use before ${last.id}.` : 'More results exist; narrow the search.');
  return lines.join('\n');
}

/** `3 open todos:` */
export function headingFor(number: number, word: string): string {
  if (number === 0) return `No ${word}s.`;
  return `${number} ${word}${number === 1 ? '' : 's'}:`;
}

export function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}

export function tagList(tags: readonly string[]): string {
  return tags.map((tag) => ` #${tag.replace(/\s+/g, '-')}`).join('');
}

/** What is shown in one line is one line. */
export function oneLine(text: string, most = 200): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length <= most ? line : `${line.slice(0, most - 1).toWellFormed()}…`;
}

export function indent(text: string): string {
  return text.replace(/^/gm, '  ');
}
