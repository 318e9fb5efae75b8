import { createHash } from 'node:crypto';
import type { Message, Part } from '@a2a-js/sdk';
import { say } from '../../../contract/texts.ts';
import type { TextEvent } from '../text-agent.ts';

/** More files than this in one turn are not stored. */
const MAX_FILES = 50;
const MAX_NAME = 200;

/** The words of a message, without its files. */
export function wordsOf(message: Pick<Message, 'parts'> | undefined): string {
  return (message?.parts ?? []).map(textIn).join('').trim();
}

/** What a part says: text as it is, data as JSON, a file elsewhere as a link that the person may follow. */
export function textIn({ content, filename }: Part): string {
  switch (content?.$case) {
    case 'text':
      return content.value;
    case 'data':
      return `\n\n\`\`\`json\n${JSON.stringify(content.value, null, 2)}\n\`\`\`\n\n`;
    case 'url':
      return linkTo(content.value, filename);
    default:
      return '';
  }
}

/** Only what a person can safely click becomes a link. */
function linkTo(address: string, filename: string): string {
  if (!/^https?:\/\//.test(address) || !URL.canParse(address)) return '';
  const { href } = new URL(address);
  const name = (filename || href).replaceAll(/[[\]\\`<>\n]/g, ' ').slice(0, MAX_NAME);
  return ` [${name}](<${href.replaceAll(/[<>]/g, encodeURIComponent)}>) `;
}

/** Files that came along, each once: a snapshot of a task brings them again. */
export class ReceivedFiles {
  readonly #maxBytes: number;
  readonly #known = new Set<string>();

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  take(parts: readonly Part[], name: string): TextEvent[] {
    return parts.flatMap((part) => (part.content?.$case === 'raw' ? this.#file(part, part.content.value, name) : []));
  }

  #file({ filename, mediaType }: Part, content: Uint8Array, artifact: string): TextEvent[] {
    const name = (filename || artifact || 'file').slice(0, MAX_NAME);
    const key = createHash('sha256').update(`${name}\n`).update(content).digest('base64');
    if (this.#known.has(key)) return [];
    this.#known.add(key);
    if (content.length > this.#maxBytes || content.length === 0 || this.#known.size > MAX_FILES)
      return [{ type: 'notice', text: say('notice.fileNotKept', { name }) }];
    return [{ type: 'artifact', name, mediaType: mediaType || 'application/octet-stream', content }];
  }
}
