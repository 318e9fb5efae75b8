import { type Message, type Part, Role, type SendMessageRequest } from '@a2a-js/sdk';
import type { AttachedFile } from '../agent.ts';

/** Of all files in one message: with what encoding adds, servers take about ten megabytes. */
const MOST_BYTES = 7_000_000;

export interface Sent {
  readonly messageId: string;
  readonly contextId: string;
  readonly taskId: string;
  readonly texts: readonly string[];
  readonly files?: readonly SentFile[];
}

export interface SentFile {
  readonly name: string;
  readonly mediaType: string;
  readonly content: Buffer;
}

/** What a peer is sent. */
export function toMessage({ messageId, contextId, taskId, texts, files = [] }: Sent): Message {
  return {
    messageId,
    contextId,
    taskId,
    role: Role.ROLE_USER,
    parts: [...texts.map(toTextPart), ...files.map(toFilePart)],
    metadata: undefined,
    extensions: [],
    referenceTaskIds: [],
  };
}

/**
 * The files that go along as they are, when the peer takes their types: JSON as data, and whatever cannot be read out as
 * text. Other texts are part of what is said.
 */
export function filesToSend(files: readonly AttachedFile[], takes: (mediaType: string) => boolean): AttachedFile[] {
  let bytes = 0;
  return files.filter((file) => {
    if (file.fileId === null || !takes(file.mediaType) || (file.kind === 'text' && !isJson(file.mediaType)))
      return false;
    if (bytes + file.bytes > MOST_BYTES) return false;
    bytes += file.bytes;
    return true;
  });
}

function isJson(mediaType: string): boolean {
  return /^application\/(?:[\w.-]+\+)?json$/i.test(mediaType);
}

export function toRequest(message: Message): SendMessageRequest {
  return { tenant: '', message, configuration: undefined, metadata: undefined };
}

function toTextPart(value: string): Part {
  return { content: { $case: 'text', value }, metadata: undefined, filename: '', mediaType: 'text/plain' };
}

function toFilePart({ name, mediaType, content }: SentFile): Part {
  const data = isJson(mediaType) ? readObject(content) : undefined;
  const about = { metadata: undefined, filename: name, mediaType };
  if (data !== undefined) return { content: { $case: 'data', value: data }, ...about };
  return { content: { $case: 'raw', value: content }, ...about };
}

/** Data is an object, in version 0.3 always: other JSON is sent as a file. */
function readObject(content: Buffer): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(content.toString());
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}
