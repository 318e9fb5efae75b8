import type { KnowledgePlace } from './knowledge.ts';

/** Where a source is shown in the web app, at one of its passages. */
export function knowledgePath(sourceId: string, passage?: number): string {
  return `/knowledge/${sourceId}${passage === undefined ? '' : `#p${passage}`}`;
}

const ADDRESS = /(?:^|\/)([A-Za-z0-9_-]{1,128})#p(\d{1,9})$/;

/** Null: it leads to no passage. */
export function readKnowledgePath(address: string): { sourceId: string; passage: number } | null {
  const found = ADDRESS.exec(address.trim());
  return found && { sourceId: found[1]!, passage: Number(found[2]) };
}

/** In English, as agents read it: `p. 12`, `Install › Linux`, `lines 10–42`. Empty when nothing is known. */
export function placeLabel({ page, headings, lines }: KnowledgePlace): string {
  if (page !== null) return `p. ${page}`;
  const shown = headings.slice(-2);
  if (shown.length > 0) return shown.map((heading) => shorten(heading)).join(' › ');
  if (lines === null) return '';
  return lines[0] === lines[1] ? `line ${lines[0]}` : `lines ${lines[0]}–${lines[1]}`;
}

const MOST_HEADING = 60;

function shorten(heading: string): string {
  return heading.length > MOST_HEADING ? `${heading.slice(0, MOST_HEADING - 1).toWellFormed()}…` : heading;
}

/** The Markdown link with which an agent says where it has something from. */
export function knowledgeCitation(
  { sourceId, name }: { sourceId: string; name: string },
  { number, place }: { number: number; place: KnowledgePlace },
): string {
  const words = [name, placeLabel(place)].filter(Boolean).join(', ');
  return `[${words.replace(/[\\[\]`*_<>]/g, '\\$&')}](${knowledgePath(sourceId, number)})`;
}
