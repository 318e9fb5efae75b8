import type { IncomingMessage } from 'node:http';
import { AppError } from '../../contract/errors.ts';
import { say } from '../../contract/texts.ts';

const MEDIA_TYPE = /^[a-z0-9][a-z0-9!#$&^_.+-]{0,126}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,126}$/;

/** The media type that the client declares for a file, or a general one: declaring it is optional. */
export function mediaTypeOf(incoming: IncomingMessage): string {
  const type = incoming.headers['content-type']?.split(';')[0]?.trim().toLowerCase() ?? '';
  if (type.startsWith('multipart/')) throw new AppError('unsupported_media_type', say('unsupported_media_type.file'));
  return MEDIA_TYPE.test(type) ? type : 'application/octet-stream';
}

/** The body in pieces, as they come. The connection stays, also when it is not read to its end: it carries the answer. */
export async function* bodyOf(incoming: IncomingMessage, limit: number, tooLarge: () => AppError) {
  if (Number(incoming.headers['content-length'] ?? 0) > limit) throw tooLarge();
  try {
    yield* incoming.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>;
  } catch (error) {
    if (!incoming.complete) throw new AppError('invalid_request', say('invalid_request.cut'));
    throw error;
  }
}
