import { createHash } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';
import { AppError } from '../../contract/errors.ts';
import { type FileKind, TEXT_FILE_BYTES } from '../../contract/files.ts';
import { say } from '../../contract/texts.ts';

export interface Received {
  bytes: number;
  sha256: string;
  beginning: Buffer;
}

/** Writes what arrives to a file, piece by piece, and puts it in its place once all of it is on the disk. */
export async function receive(body: AsyncIterable<Uint8Array>, place: string, limit: number): Promise<Received> {
  const draft = `${place}.part`;
  try {
    const received = await write(body, draft, limit);
    await rename(draft, place);
    return received;
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

async function write(body: AsyncIterable<Uint8Array>, draft: string, limit: number): Promise<Received> {
  const file = await open(draft, 'wx', 0o600);
  try {
    const hash = createHash('sha256');
    const head: Uint8Array[] = [];
    let bytes = 0;
    for await (const piece of body) {
      if (bytes < LOOKED_AT) head.push(piece.subarray(0, LOOKED_AT - bytes));
      bytes += piece.length;
      if (bytes > limit) throw tooLarge(limit);
      hash.update(piece);
      await file.writeFile(piece);
    }
    await file.sync();
    return { bytes, sha256: hash.digest('hex'), beginning: Buffer.concat(head) };
  } finally {
    await file.close();
  }
}

export function tooLarge(limit: number): AppError {
  return new AppError('file_too_large', say('file_too_large', { limit }));
}

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
