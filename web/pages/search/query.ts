import type { SearchHit } from '../../../contract/sessions.ts';

export type FilterName = 'agent' | 'from' | 'session' | 'before' | 'after';

/** A filter as it stands in what was typed. */
export interface Filter {
  readonly name: FilterName;
  readonly value: string;
  readonly start: number;
  readonly end: number;
}

const PIECE = /-?(?:(agent|from|session|before|after):)?(?:"([^"]*)"?\*?|[^\s"]+)/giu;

/** The filters in a search, in order, as the server will read them. */
export function filtersIn(query: string): Filter[] {
  return Array.from(query.matchAll(PIECE), toFilter).filter((filter) => filter !== null);
}

function toFilter(found: RegExpExecArray): Filter | null {
  const [whole, name, quoted] = found;
  if (name === undefined || whole.startsWith('-')) return null;
  const value = quoted ?? whole.slice(name.length + 1);
  if (value === '') return null;
  return { name: name.toLowerCase() as FilterName, value, start: found.index, end: found.index + whole.length };
}

/** Several agents mean any of them; of times only one makes sense. */
export function withFilter(query: string, name: FilterName, value: string): string {
  const already = filtersIn(query).filter((filter) => filter.name === name);
  if (already.some((filter) => filter.value === value)) return query;
  const isTime = name === 'before' || name === 'after';
  const base = isTime ? without(query, already) : query;
  return tidy(`${base} ${name}:${/\s/.test(value) ? `"${value.replaceAll('"', '')}"` : value}`);
}

export function withoutFilter(query: string, filter: Filter): string {
  return without(query, [filter]);
}

export function withoutFilters(query: string): string {
  return without(query, filtersIn(query));
}

/** From the end, so that the places of the others stay what they are. */
function without(query: string, filters: readonly Filter[]): string {
  return tidy(filters.reduceRight((rest, { start, end }) => `${rest.slice(0, start)} ${rest.slice(end)}`, query));
}

function tidy(query: string): string {
  return query.replace(/\s+/g, ' ').trim();
}

export interface ResultGroup {
  readonly sessionId: string;
  readonly title: string;
  readonly hits: readonly SearchHit[];
}

/** By session, where the newest hit comes first; further pages add to the groups that are there. */
export function groupHits(hits: readonly SearchHit[]): ResultGroup[] {
  const groups = new Map<string, SearchHit[]>();
  for (const hit of hits) {
    const group = groups.get(hit.sessionId);
    if (group) group.push(hit);
    else groups.set(hit.sessionId, [hit]);
  }
  return Array.from(groups, ([sessionId, found]) => ({ sessionId, title: found[0]!.sessionTitle, hits: found }));
}
