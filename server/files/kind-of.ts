import { type FileKind, TEXT_FILE_BYTES } from '../../contract/files.ts';

/** As much as is needed to tell what a file is. */
export const LOOKED_AT = TEXT_FILE_BYTES + 1;

const IMAGES: readonly [mediaType: string, begins: readonly (number | null)[]][] = [
  ['image/png', [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]],
  ['image/jpeg', [0xff, 0xd8, 0xff]],
  ['image/gif', [0x47, 0x49, 0x46, 0x38]],
  ['image/webp', [0x52, 0x49, 0x46, 0x46, null, null, null, null, 0x57, 0x45, 0x42, 0x50]],
];
const PDF = '%PDF-';

/** What a file is, by its first bytes: what it is called, and what it is said to be, can be anything. */
export function kindOf(beginning: Buffer, declared: string): { kind: FileKind; mediaType: string } {
  const image = IMAGES.find(([, bytes]) => bytes.every((byte, at) => byte === null || beginning[at] === byte));
  if (image) return { kind: 'image', mediaType: image[0] };
  return { kind: isText(beginning) ? 'text' : 'other', mediaType: declared };
}

function isText(beginning: Buffer): boolean {
  if (beginning.length > TEXT_FILE_BYTES || beginning.subarray(0, PDF.length).toString('latin1') === PDF) return false;
  return !beginning.includes(0) && decode(beginning) !== null;
}

const decoder = new TextDecoder('utf-8', { fatal: true });

export function decode(bytes: Uint8Array): string | null {
  try {
    return decoder.decode(bytes);
  } catch {
    return null;
  }
}
