import type { Attachable } from '../../../contract/files.ts';

/** The limits of a server that was not told otherwise. It checks again; this spares a long upload. */
export const MOST_FILES = 10;
export const MOST_BYTES = 25_000_000;
/** Of what is larger, agents would be told nothing but the name. */
export const MOST_TEXT_BYTES = 200_000;
export const MOST_IMAGE_BYTES = 5_000_000;

export type Refusal =
  | 'tooMany'
  | 'tooLarge'
  | 'textTooLarge'
  | 'imageTooLarge'
  | 'empty'
  | 'nothingTaken'
  | 'noImages'
  | 'noText'
  | 'neither';

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
export function refusalOf(file: Given, already: number, takes: readonly Attachable[]): Refusal | null {
  if (takes.length === 0) return 'nothingTaken';
  if (already >= MOST_FILES) return 'tooMany';
  if (file.size > MOST_BYTES) return 'tooLarge';
  if (file.size === 0) return 'empty';
  const kind = kindOf(file);
  if (kind === null) return 'neither';
  if (!takes.includes(kind)) return kind === 'image' ? 'noImages' : 'noText';
  if (kind === 'image') return file.size > MOST_IMAGE_BYTES ? 'imageTooLarge' : null;
  return file.size > MOST_TEXT_BYTES ? 'textTooLarge' : null;
}

/** Browsers name few types of text: what they do not know is told by the end of its name. */
export function kindOf({ name, type }: Omit<Given, 'size'>): Attachable | null {
  if (IMAGES.includes(type)) return 'image';
  return TEXT_TYPES.test(type) || TEXT_NAMES.test(name) ? 'text' : null;
}

/** A pasted text in pieces that can each go along as a file, cut at line ends where there are any. */
export function cutPaste(text: string): string[] {
  const pieces: string[] = [];
  for (let start = 0; start < text.length; ) {
    const end = endOfPiece(text, start);
    pieces.push(text.slice(start, end));
    start = end;
  }
  return pieces;
}

function endOfPiece(text: string, start: number): number {
  const next = text.slice(start, start + MOST_TEXT_BYTES);
  const end = start + new TextEncoder().encodeInto(next, new Uint8Array(MOST_TEXT_BYTES)).read;
  const line = text.lastIndexOf('\n', end - 1) + 1;
  return end < text.length && line > (start + end) / 2 ? line : end;
}
