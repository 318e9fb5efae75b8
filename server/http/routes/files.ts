import type { FileHandle } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { FileInfo } from '../../../contract/files.ts';
import { tooLarge } from '../../files/receive.ts';
import type { Ctx, Router } from '../mount.ts';
import type { RouteDeps } from '../route-deps.ts';
import { bodyOf, mediaTypeOf } from '../upload.ts';

export function fileRoutes(router: Router, { files, configuration, audit }: RouteDeps): void {
  router.on('uploadFile', ({ c, owner, query }) => {
    const incoming = c.env.incoming as IncomingMessage;
    const { fileBytes } = configuration.current.limits;
    const body = bodyOf(incoming, fileBytes, () => tooLarge(fileBytes));
    return files.upload(owner, { name: query.name, mediaType: mediaTypeOf(incoming) }, body);
  });
  router.on('readFile', async ({ c, owner, params, query }) => {
    const { file, handle } = await files.open(owner, params.fileId);
    return answer(c, file, handle, query.download === 'true');
  });
  router.on('deleteFile', async ({ c, owner, params }) => {
    await files.delete(owner, params.fileId);
    const note = { owner, action: 'file.deleted', object: params.fileId, detail: null };
    await audit({ ...note, request_id: c.get('requestId') });
    return undefined;
  });
}

/** Whatever it is, it may do nothing: no script, no form, no origin of ours. */
const HARMLESS = "sandbox; default-src 'none'; img-src 'self'; style-src 'unsafe-inline'";

async function answer(c: Ctx, file: FileInfo, handle: FileHandle, isDownload: boolean): Promise<Response> {
  const etag = `"${file.sha256}"`;
  const about: Record<string, string> = {
    'Content-Security-Policy': HARMLESS,
    'Cache-Control': 'private, no-cache',
    ETag: etag,
  };
  const shown = isDownload ? null : shownAs(file);
  about['Content-Type'] = shown ?? 'application/octet-stream';
  about['Content-Length'] = String(file.bytes);
  about['Content-Disposition'] = `${shown ? 'inline' : 'attachment'}; filename*=UTF-8''${encodeName(file.name)}`;
  const isKnown = c.env.incoming.headers['if-none-match'] === etag;
  if (isKnown || c.req.method === 'HEAD') {
    await handle.close();
    return c.body(null, isKnown ? 304 : 200, about);
  }
  const contents = Readable.toWeb(handle.createReadStream());
  return c.body(contents as ReadableStream, 200, about);
}

/** Images, and texts as plain text whatever they are; everything else is for saving. */
function shownAs({ kind, mediaType }: FileInfo): string | null {
  if (kind === 'image') return mediaType;
  return kind === 'text' ? 'text/plain; charset=utf-8' : null;
}

function encodeName(name: string): string {
  return encodeURIComponent(name.toWellFormed()).replace(/['()*]/g, (c) => `%${c.charCodeAt(0).toString(16)}`);
}
