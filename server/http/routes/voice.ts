import type { IncomingMessage } from 'node:http';
import { AppError } from '../../../contract/errors.ts';
import { say } from '../../../contract/texts.ts';
import { tooLarge } from '../../files/receive.ts';
import type { Router } from '../mount.ts';
import type { RouteDeps } from '../route-deps.ts';
import { bodyOf, mediaTypeOf } from '../upload.ts';

export function voiceRoutes(router: Router, { transcription, configuration }: RouteDeps): void {
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
