import { createHash } from 'node:crypto';
import { type Message, type Part, Role } from '@a2a-js/sdk';
import { RequestMalformedError } from '@a2a-js/sdk/errors';
import { newId } from '../../../contract/ids.ts';
import type { ProtocolDeps } from '../protocol.ts';

const MAX_NAME = 200;

/** What an agent here says is said by its turn alone. */
export function assertRole(message: Message | undefined): void {
  if (message?.role === Role.ROLE_AGENT)
    throw new RequestMalformedError('The role of a message to an agent is ROLE_USER.');
}

/** What a message says: text as it is, data as JSON, a file elsewhere as its address, which Parley does not fetch. */
export function wordsOf({ parts }: Message): string {
  return parts
    .map(textOf)
    .filter((text) => text !== '')
    .join('\n\n');
}

/** The files that came along with a message become attachments, once for the same message. Gives their ids. */
export async function storeFiles(
  deps: Pick<ProtocolDeps, 'uploadFileOnce'>,
  owner: string,
  { parts, messageId }: Message,
): Promise<string[]> {
  const ids: string[] = [];
  for (const { content, filename, mediaType } of parts) {
    if (content?.$case !== 'raw') continue;
    const name = filename.slice(0, MAX_NAME) || `file-${ids.length + 1}`;
    const about = { name, mediaType: mediaType || 'application/octet-stream' };
    const digest = createHash('sha256').update(`${name}\n${mediaType}\n`).update(content.value).digest('hex');
    const id = messageId === '' ? newId() : idOf(`file of ${owner}`, `${messageId}\n${ids.length}\n${digest}`);
    ids.push(await deps.uploadFileOnce(owner, id, about, Buffer.from(content.value)));
  }
  return ids;
}

export function hasFiles({ parts }: Message): boolean {
  return parts.some(({ content }) => content?.$case === 'raw');
}

/** An id of the caller's, in the shape that ids have here: the same id is the same message. */
export function idOf(agentId: string, messageId: string): string {
  return `a2a-${createHash('sha256').update(`${agentId}\n${messageId}`).digest('hex').slice(0, 40)}`;
}

function textOf({ content, filename }: Part): string {
  switch (content?.$case) {
    case 'text':
      return content.value;
    case 'data':
      return JSON.stringify(content.value, null, 2);
    case 'url':
      return `${filename} ${content.value}`.trim();
    default:
      return '';
  }
}
