import type { ParsedSearch, Term } from './search-query.ts';
import { searchTag } from './search-tag.ts';
import { termWords } from './search-tokens.ts';

/**
 * The index's own query language, from quoted strings only: nothing a person types can be read as an operator. Null when
 * there are only times to go by.
 */
export function toMatch(search: ParsedSearch, sessionIds: readonly string[], within: string | null): string | null {
  const wanted = search.terms.map((term) => `text : ${quote(term)}`);
  const tags = [
    anyTag(search.agents.map((agent) => searchTag('agent', agent))),
    anyTag(search.from.map((speaker) => searchTag('from', speaker))),
    anyTag(sessionIds.map((id) => searchTag('session', id))),
    anyTag(within === null ? [] : [searchTag('session', within)]),
  ];
  const positive = [...wanted, ...tags.filter((tag) => tag !== null)].join(' AND ');
  if (!positive) return null;
  const excluded = search.excluded.map(quote).join(' OR ');
  return excluded ? `(${positive}) NOT text : (${excluded})` : positive;
}

/** Words hold letters and digits only, so nothing in them ends the quotation. */
function quote(term: Term): string {
  const { words, prefix } = termWords(term);
  return `"${words.join(' ')}"${prefix ? ' *' : ''}`;
}

function anyTag(tags: string[]): string | null {
  return tags.length === 0 ? null : `tags : (${tags.map((tag) => `"${tag}"`).join(' OR ')})`;
}
