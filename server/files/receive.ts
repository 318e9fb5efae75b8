import { createHash } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';
import { AppError } from '../../contract/errors.ts';
import { say } from '../../contract/texts.ts';
import { LOOKED_AT } from './kind-of.ts';

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
