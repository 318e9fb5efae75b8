import type { FileHandle } from 'node:fs/promises';
import { Readable } from 'node:stream';
import type { FileInfo } from '../../../contract/files.ts';
import type { Ctx } from '../mount.ts';

/** Whatever it is, it may do nothing: no script, no form, no origin of ours. */
const HARMLESS = "sandbox; default-src 'none'; img-src 'self'; style-src 'unsafe-inline'";

/** `isDownload`: for saving, whatever it is. */
export async function sendFile(c: Ctx, file: FileInfo, handle: FileHandle, isDownload: boolean): Promise<Response> {
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
