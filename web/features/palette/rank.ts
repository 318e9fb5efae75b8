/** What an entry is called, and what else it can be found by. */
export interface Findable {
  readonly label: string;
  /** Shorter names, which count as much as the label. */
  readonly aliases?: readonly string[];
  readonly keywords: readonly string[];
  /** What the entry is about. When exactly this was typed, the entry comes before all others. */
  readonly about?: string;
}

/**
 * How well an entry fits what was typed: 0 means not at all. Letters that are merely scattered over a name in the right
 * order do not count.
 */
export function relevance(query: string, { label, aliases = [], keywords, about = '' }: Findable): number {
  if (about !== '' && plain(query) === plain(about)) return 8;
  return Math.max(...[label, ...aliases].map((name) => relevanceOf(plain(query), plain(name), keywords.map(plain))));
}

function relevanceOf(wanted: string, name: string, others: readonly string[]): number {
  if (wanted === '') return 1;
  if (name === wanted) return 7;
  if (name.startsWith(wanted)) return 6;
  if (others.includes(wanted)) return 5;
  if (` ${name}`.includes(` ${wanted}`)) return 4;
  if (everyWordBegins(wanted, [name])) return 3;
  if (everyWordBegins(wanted, [name, ...others])) return 2;
  return [name, ...others].some((words) => words.includes(wanted)) ? 1 : 0;
}

/** Lower case, without accents, and with one space between words. */
function plain(words: string): string {
  return words
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}

function everyWordBegins(wanted: string, names: readonly string[]): boolean {
  const words = names.flatMap((name) => name.split(' '));
  return wanted.split(' ').every((part) => words.some((word) => word.startsWith(part)));
}

export interface Group<Entry extends Findable> {
  readonly entries: readonly Entry[];
}

/**
 * The groups that have something to offer: the best entry of all comes first, its group before the others. Groups and
 * entries that fit equally well keep their order.
 */
export function ranked<Entry extends Findable, G extends Group<Entry>>(query: string, groups: readonly G[]): G[] {
  const scored = groups.map((group) => {
    const fitting = group.entries
      .map((entry) => ({ entry, score: relevance(query, entry) }))
      .filter(({ score }) => score > 0)
      .toSorted((one, other) => other.score - one.score);
    return { best: fitting[0]?.score ?? 0, group: { ...group, entries: fitting.map(({ entry }) => entry) } };
  });
  return scored
    .filter(({ best }) => best > 0)
    .toSorted((one, other) => other.best - one.best)
    .map(({ group }) => group);
}
