import type { FileInfo } from '../contract/files.ts';
import type { Transcript } from '../contract/voice.ts';
import { WorkClient } from './work-client.ts';

export interface Upload {
  /** Default: the file's own. */
  name?: string | undefined;
  mediaType?: string | undefined;
  signal?: AbortSignal | undefined;
}

/** What is attached to messages, and what is spoken instead of written. */
export class FileClient extends WorkClient {
  /** Sends a file up, to be named in a message; forgotten after a day when it is not. */
  uploadFile(contents: Blob | Uint8Array, { name, mediaType, signal }: Upload = {}): Promise<FileInfo> {
    const own = contents as Partial<File>;
    const type = mediaType || own.type || 'application/octet-stream';
    return this.transport.json('POST', '/api/files', {
      query: { name: name ?? own.name ?? 'file' },
      headers: { 'Content-Type': type },
      contents,
      signal,
    });
  }

  async readFile(fileId: string): Promise<Blob> {
    const response = await this.transport.send('GET', filePath(fileId), {});
    return response.blob();
  }

  deleteFile(fileId: string): Promise<void> {
    return this.transport.delete(filePath(fileId));
  }

  /** What was spoken, as text. `getConfiguration().features` says whether the server can do that. */
  transcribe(speech: Blob, { signal }: { signal?: AbortSignal | undefined } = {}): Promise<Transcript> {
    const headers = { 'Content-Type': speech.type || 'audio/webm' };
    return this.transport.json('POST', '/api/transcriptions', { contents: speech, headers, signal });
  }
}

function filePath(fileId: string): string {
  return `/api/files/${encodeURIComponent(fileId)}`;
}
