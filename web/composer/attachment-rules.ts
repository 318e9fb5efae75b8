/** What an agent can be given besides words. */
export type Kind = 'text' | 'image';

export const MOST_FILES = 10;
export const MOST_BYTES = 25 * 1024 * 1024;

export type Refusal = 'tooMany' | 'tooLarge' | 'empty' | 'nothingTaken' | 'noImages' | 'noText' | 'neither';

const IMAGES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];
const TEXT_TYPES = /^text\/|\b(?:json|xml|yaml|toml|javascript|typescript|csv|sql|x-sh)\b/;
const TEXT_NAMES =
  /\.(?:txt|md|markdown|csv|tsv|json|jsonl|ya?ml|toml|ini|conf|log|xml|html?|css|[cm]?[jt]sx?|py|rb|go|rs|java|kt|c|h|cpp|hpp|cs|php|swift|sh|sql|diff|patch|tex|svg)$/i;

interface Given {
  readonly name: string;
  readonly type: string;
  readonly size: number;
}

/** Why a file cannot go along, before any of it is sent; null when it can. */
export function refusalOf(file: Given, already: number, takes: readonly Kind[]): Refusal | null {
  if (takes.length === 0) return 'nothingTaken';
  if (already >= MOST_FILES) return 'tooMany';
  if (file.size > MOST_BYTES) return 'tooLarge';
  if (file.size === 0) return 'empty';
  const kind = kindOf(file);
  if (kind === null) return 'neither';
  if (takes.includes(kind)) return null;
  return kind === 'image' ? 'noImages' : 'noText';
}

/** Browsers name few types of text: what they do not know is told by the end of its name. */
export function kindOf({ name, type }: Omit<Given, 'size'>): Kind | null {
  if (IMAGES.includes(type)) return 'image';
  return TEXT_TYPES.test(type) || TEXT_NAMES.test(name) ? 'text' : null;
}
