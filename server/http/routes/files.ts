import type { IncomingMessage } from 'node:http';
import { AppError } from '../../../contract/errors.ts';
import { say } from '../../../contract/texts.ts';
import { tooLarge } from '../../files/receive.ts';
import type { Router } from '../mount.ts';
import type { RouteDeps } from '../route-deps.ts';
import { sendFile } from './send-file.ts';

type FileDeps = Pick<RouteDeps, 'audit' | 'configuration' | 'files' | 'transcription'>;

export function fileRoutes(router: Router, { files, configuration, audit }: FileDeps): void {
  router.on('uploadFile', ({ c, owner, query }) => {
    const incoming = c.env.incoming as IncomingMessage;
    const { fileBytes } = configuration.current.limits;
    const body = bodyOf(incoming, fileBytes, () => tooLarge(fileBytes));
    return files.upload(owner, { name: query.name, mediaType: mediaTypeOf(incoming) }, body);
  });
  router.on('readFile', async ({ c, owner, params, query }) => {
    const { file, handle } = await files.open(owner, params.fileId);
    return sendFile(c, file, handle, query.download === 'true');
  });
  router.on('deleteFile', async ({ c, owner, params }) => {
    await files.delete(owner, params.fileId);
    const note = { owner, action: 'file.deleted', object: params.fileId, detail: null };
    await audit({ ...note, request_id: c.get('requestId') });
    return undefined;
  });
}

export function voiceRoutes(router: Router, { transcription, configuration }: FileDeps): void {
  router.on('transcribe', async ({ c }) => {
    const { fileBytes, firstTokenMs } = configuration.current.limits;
    const incoming = c.env.incoming as IncomingMessage;
    const mediaType = mediaTypeOf(incoming);
    if (!/^(?:audio|video)\//.test(mediaType))
      throw new AppError('unsupported_media_type', say('unsupported_media_type.audio'));
    const bytes = await gather(incoming, fileBytes);
    return { text: await transcription.transcribe({ bytes, mediaType }, firstTokenMs) };
  });
}

async function gather(incoming: IncomingMessage, limit: number): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of bodyOf(incoming, limit, () => tooLarge(limit))) {
    bytes += piece.length;
    if (bytes > limit) throw tooLarge(limit);
    pieces.push(piece);
  }
  if (bytes === 0) throw new AppError('file_empty', say('file_empty.audio'));
  return Buffer.concat(pieces);
}

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
