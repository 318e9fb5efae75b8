import type { z } from 'zod';
import { AppError } from '../../contract/errors.ts';
import { say } from '../../contract/texts.ts';

/** Where a page of a list ended, as a word that only this server reads. */
export function writeCursor(place: readonly (string | number)[]): string {
  return Buffer.from(JSON.stringify(place)).toString('base64url');
}

export function readCursor<T>(shape: z.ZodType<T>, cursor: string): T {
  const place = shape.safeParse(parse(Buffer.from(cursor, 'base64url').toString()));
  if (place.success) return place.data;
  throw new AppError('invalid_request', say('invalid_request.cursor'));
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
