import { AgentId } from '../../../contract/names.ts';
import type { PlainSession } from '../../../contract/sessions.ts';
import { isReservedId } from '../../../contract/speakers.ts';
import { invalid, unsupported } from './errors.ts';
import type { ChatMessage, ContentPart } from './requests.ts';

/** What a client has sent, as a conversation. */
export interface Said {
  /** Instructions of the client, which the agent reads as a message. */
  instructions: string;
  /** Before the message to answer. */
  history: PlainSession['messages'];
  text: string;
  images: DataImage[];
}

export interface DataImage {
  mediaType: string;
  content: Buffer;
}

/** The messages after the last answer are the one to answer; those before it are the history. */
export function readSaid(messages: readonly ChatMessage[], agentId: string): Said {
  const last = messages.findLastIndex(({ role }) => role === 'assistant');
  const spoken = messages.map((message, index) => ({ ...message, place: `messages[${index}]` }));
  const asked = spoken.slice(last + 1).filter(({ role }) => role === 'user');
  for (const { role, tool_calls, place } of spoken)
    if (role === 'tool' || role === 'function' || tool_calls?.length) throw unsupported(`${place}.role`);
  if (asked.length === 0) throw invalid('messages must end with a message of the user');
  const instructions = spoken.filter(({ role }) => role === 'system' || role === 'developer');
  return {
    instructions: textOf(instructions),
    history: spoken.slice(0, last + 1).flatMap((message) => toHistory(message, agentId)),
    text: textOf(asked),
    images: asked.flatMap(({ content, place }) => imagesOf(content, place)),
  };
}

/** An assistant message that names an agent was said by that agent; words such as `assistant` or `user` name none. */
function toHistory({ role, content, name }: ChatMessage, agentId: string): PlainSession['messages'] {
  const text = plainText(content);
  if (role === 'user') return [{ role, content: text }];
  if (role !== 'assistant' || text === '') return [];
  const named = AgentId.safeParse(name).data ?? agentId;
  return [{ role, content: text, agent: isReservedId(named) ? agentId : named }];
}

function textOf(messages: readonly ChatMessage[]): string {
  return messages
    .map(({ content }) => plainText(content))
    .filter((text) => text !== '')
    .join('\n\n');
}

function plainText(content: ChatMessage['content']): string {
  if (typeof content === 'string') return content;
  return (content ?? []).flatMap((part) => part.text ?? part.refusal ?? []).join('\n\n');
}

function imagesOf(content: ChatMessage['content'], place: string): DataImage[] {
  if (typeof content === 'string' || !content) return [];
  return content.flatMap((part, index) => imageOf(part, `${place}.content[${index}]`));
}

const DATA_URL = /^data:(image\/[a-z0-9.+-]+);base64,/i;

/** Images come as data URLs: Parley fetches nothing that a client names. */
function imageOf({ type, image_url: url }: ContentPart, place: string): DataImage[] {
  if (type === 'text' || type === 'input_text' || type === 'output_text') return [];
  if (url === undefined) throw unsupported(`${place}.type`);
  const [head, mediaType] = DATA_URL.exec(url.slice(0, 200)) ?? [];
  if (head === undefined || mediaType === undefined)
    throw invalid(`${place}.image_url must be a data URL of an image, such as data:image/png;base64,…`);
  return [{ mediaType, content: Buffer.from(url.slice(head.length), 'base64') }];
}
