import { hasToken, type TermWords, termWords } from '../sessions/search-tokens.ts';

/** What is looked for: `wanted` must occur, of `words` the more the better. */
export interface SearchTerms {
  readonly wanted: readonly TermWords[];
  readonly words: readonly TermWords[];
}

const MOST_TERMS = 32;
/** A word of at least this length is found in longer ones that begin with it, such as its plural. */
const PREFIX_LENGTH = 4;

/** `refund policy "annual plan"`. */
export function parseTerms(q: string): SearchTerms {
  const wanted: TermWords[] = [];
  const words = new Map<string, TermWords>();
  for (const [, quoted, bare = ''] of q.replace(/[“”„‟]/g, '"').matchAll(/"([^"]*)"|([^\s"]+)/g)) {
    if (quoted !== undefined && hasToken(quoted)) wanted.push(termWords({ text: quoted, prefix: false }));
    else if (hasToken(bare)) words.set(bare.toLowerCase(), toWord(bare));
  }
  const room = MOST_TERMS - Math.min(wanted.length, MOST_TERMS);
  return { wanted: wanted.slice(0, MOST_TERMS), words: [...words.values()].slice(0, room) };
}

function toWord(bare: string): TermWords {
  const term = termWords({ text: bare, prefix: false });
  const isLong = term.words.length === 1 && term.words[0]!.length >= PREFIX_LENGTH;
  return isLong ? { ...term, prefix: true } : term;
}

/** Beyond this many sources, the index finds those of the owner and the rest is decided row by row. */
const MOST_TAGS = 64;

/** The index's own query language, from quoted strings only. Null: there are no words to look for. */
export function toMatch({ wanted, words }: SearchTerms, owner: string, sourceIds: readonly string[]): string | null {
  if (wanted.length + words.length === 0) return null;
  const tags = sourceIds.length > MOST_TAGS ? [ownerTag(owner)] : sourceIds.map(sourceTag);
  const any = words.length > 0 ? [`(${words.map(quote).join(' OR ')})`] : [];
  const terms = [...wanted.map(quote), ...any].join(' AND ');
  return `words : (${terms}) AND tags : (${tags.map((tag) => `"${tag}"`).join(' OR ')})`;
}

/** Words hold letters and digits only, so nothing in them ends the quotation. */
function quote({ words, prefix }: TermWords): string {
  return `"${words.join(' ')}"${prefix ? ' *' : ''}`;
}

/** What searches choose by, as tokens of letters and digits. */
export function sourceTags(owner: string, sourceId: string): string {
  return `${ownerTag(owner)} ${sourceTag(sourceId)}`;
}

function ownerTag(owner: string): string {
  return `ownerx${Buffer.from(owner).toString('hex')}`;
}

function sourceTag(sourceId: string): string {
  return `sourcex${Buffer.from(sourceId).toString('hex')}`;
}
