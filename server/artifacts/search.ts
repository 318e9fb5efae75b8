import type { z } from 'zod';
import type {
  ArtifactHit,
  ArtifactKind,
  ArtifactSearchQuery,
  ArtifactSearchResults,
} from '../../contract/artifacts.ts';
import { AppError } from '../../contract/errors.ts';
import { say } from '../../contract/texts.ts';
import { makeSnippet, type Pattern } from '../sessions/search-snippet.ts';
import { hasToken, termWords } from '../sessions/search-tokens.ts';
import type { ArtifactRow, Db, ListItemRow } from '../storage/tables.ts';
import { findLine } from './artifact-store.ts';
import { tagsOf } from './search-index-store.ts';
import { selectFoundArtifacts, selectFoundItems, selectMatching } from './search-store.ts';
import { contentOf, toSummary } from './shapes.ts';

const MOST_TERMS = 32;
/** Of more matches than this, only the newest are looked at. */
const MOST_MATCHES = 1000;

const KINDS = ['list', 'note', 'view', 'file'] as const;

/** Words and quoted phrases that must all occur; `word*` is the beginning of a word. Most recently changed first. */
export async function searchArtifacts(
  db: Db,
  owner: string,
  { q, kind, limit }: z.output<typeof ArtifactSearchQuery>,
): Promise<ArtifactSearchResults> {
  const patterns = patternsOf(q);
  const words = patterns.map(({ words, prefix }) => `words : "${words.join(' ')}"${prefix ? ' *' : ''}`).join(' AND ');
  const artifacts: ArtifactRow[] = [];
  for (const each of kind ? [kind] : KINDS) {
    const rids = await matching(db, words, owner, each);
    artifacts.push(...(await selectFoundArtifacts(db, rids, owner, limit)));
  }
  const withItems = kind === undefined || kind === 'list';
  const items = withItems ? await selectFoundItems(db, await matching(db, words, owner, 'item'), owner, limit) : [];
  const found: Found[] = [...artifacts.map((artifact) => ({ artifact })), ...items.map((item) => ({ item }))];
  const newest = found.sort((a, b) => updatedAt(b) - updatedAt(a)).slice(0, limit);
  const hits: ArtifactHit[] = [];
  for (const each of newest) hits.push(await toHit(db, each, patterns));
  return { hits };
}

/** The row numbers as JSON. */
async function matching(db: Db, words: string, owner: string, kind: ArtifactKind | 'item'): Promise<string> {
  const tags = tagsOf(owner, kind)
    .split(' ')
    .map((tag) => `tags : "${tag}"`);
  const rows = await selectMatching(db, [words, ...tags].join(' AND '), MOST_MATCHES);
  return JSON.stringify(rows.map(({ rowid }) => Math.floor(rowid / 2)));
}

function updatedAt({ artifact, item }: Found): number {
  return (artifact ?? item).updated_at;
}

function patternsOf(q: string): Pattern[] {
  const terms: Pattern[] = [];
  for (const [, quoted, bare = ''] of q.replace(/[“”„‟]/g, '"').matchAll(/"([^"]*)"?|([^\s"]+)/g)) {
    const text = quoted ?? bare;
    if (hasToken(text)) terms.push(termWords({ text, prefix: bare.endsWith('*') }));
  }
  if (terms.length === 0) throw new AppError('search_invalid', say('search_invalid.empty'));
  if (terms.length > MOST_TERMS)
    throw new AppError('search_invalid', say('search_invalid.tooManyWords', { limit: MOST_TERMS }));
  return terms;
}

type Found = { artifact: ArtifactRow; item?: undefined } | { item: ListItemRow; artifact?: undefined };

async function toHit(db: Db, { artifact, item }: Found, patterns: readonly Pattern[]): Promise<ArtifactHit> {
  const line = await findLine(db, (artifact ?? item).owner, artifact?.id ?? item!.list_id);
  const { snippet, matches } = makeSnippet(artifact ? textOfArtifact(artifact) : textOfItem(item!), patterns);
  const about = { artifact: toSummary(line!), snippet, matches };
  return { ...about, itemId: item?.id ?? null, title: artifact?.name ?? item!.title };
}

function textOfArtifact(row: ArtifactRow): string {
  const { description = '', tags = [] } = contentOf<{ description?: string; tags?: string[] }>(row);
  return [row.name, description, row.text, tags.map((tag) => `#${tag}`).join(' ')].filter(Boolean).join('\n');
}

function textOfItem(row: ListItemRow): string {
  const tags = (JSON.parse(row.tags) as string[]).map((tag) => `#${tag}`).join(' ');
  const values = Object.values(JSON.parse(row.field_values) as Record<string, unknown>).filter(
    (one) => typeof one === 'string',
  );
  return [row.title, row.notes, tags, ...values].filter(Boolean).join('\n');
}
