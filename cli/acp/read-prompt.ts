import type { ContentBlock, EmbeddedResource } from '@agentclientprotocol/sdk';
import type { ParleyClient } from '../../client/parley-client.ts';

export interface EditorPrompt {
  readonly content: string;
  /** Ids of what was uploaded for the message. */
  readonly files: readonly string[];
  /** The agent that is asked once. */
  readonly guest: string | null;
  readonly command: 'compact' | null;
}

/** A prompt as a message: words, and what the editor attached to it. */
export async function readPrompt(client: ParleyClient, blocks: readonly ContentBlock[]): Promise<EditorPrompt> {
  const content = blocks.map(wordsOf).join('').trim();
  const attached = blocks.map(fileOf).filter((file) => file !== null);
  const files = await Promise.all(attached.map((file) => upload(client, file)));
  const [, guest = null, asked = ''] = /^\/ask\s+(\S+)\s+([\s\S]+)$/.exec(content) ?? [];
  const command = /^\/compact\s*$/.test(content) ? 'compact' : null;
  return { content: guest === null ? content : asked, files, guest, command };
}

function wordsOf(block: ContentBlock): string {
  if (block.type === 'text') return block.text;
  return block.type === 'resource_link' ? `[${block.name}](${block.uri})` : '';
}

interface Attached {
  name: string;
  mediaType: string;
  bytes: Uint8Array<ArrayBuffer>;
}

function fileOf(block: ContentBlock): Attached | null {
  switch (block.type) {
    case 'image':
    case 'audio':
      return {
        name: block.type === 'image' && block.uri ? nameIn(block.uri) : `${block.type}.${block.mimeType.split('/')[1]}`,
        mediaType: block.mimeType,
        bytes: Buffer.from(block.data, 'base64'),
      };
    case 'resource':
      return fileOfResource(block);
    case 'text':
    case 'resource_link':
      return null;
    default:
      return block satisfies never;
  }
}

function fileOfResource({ resource }: EmbeddedResource): Attached {
  const isText = 'text' in resource;
  return {
    name: nameIn(resource.uri),
    mediaType: resource.mimeType ?? (isText ? 'text/plain' : 'application/octet-stream'),
    bytes: isText ? Buffer.from(resource.text) : Buffer.from(resource.blob, 'base64'),
  };
}

function nameIn(uri: string): string {
  const last = uri
    .replace(/[?#].*$/, '')
    .split('/')
    .at(-1);
  try {
    return decodeURIComponent(last ?? '') || 'file';
  } catch {
    return last || 'file';
  }
}

async function upload(client: ParleyClient, { name, mediaType, bytes }: Attached): Promise<string> {
  const { id } = await client.call('uploadFile', { query: { name }, contents: bytes, mediaType });
  return id;
}
