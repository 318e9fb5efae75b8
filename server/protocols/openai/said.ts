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
  files: SentFile[];
}

export interface SentFile {
  /** Null when the client gives none. */
  name: string | null;
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
    files: asked.flatMap(({ content, place }) => filesOf(content, place)),
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

function filesOf(content: ChatMessage['content'], place: string): SentFile[] {
  if (typeof content === 'string' || !content) return [];
  return content.flatMap((part, index) => fileOf(part, `${place}.content[${index}]`));
}

/** Images and files come as data URLs: Parley fetches nothing that a client names, and keeps no files by themselves. */
function fileOf(part: ContentPart, place: string): SentFile[] {
  const { type } = part;
  if (type === 'text' || type === 'input_text' || type === 'output_text') return [];
  if (type === 'image_url' || type === 'input_image') return [imageOf(part, place)];
  if (type !== 'file' && type !== 'input_file') throw unsupported(`${place}.type`);
  const { filename, file_data: data } = part.file ?? part;
  const read = readDataUrl(data, ANY_TYPE);
  if (!read) throw invalid(`${place}.file_data must be a data URL, such as data:application/pdf;base64,…`);
  return [{ name: filename || null, ...read }];
}

function imageOf({ image_url: url }: ContentPart, place: string): SentFile {
  const read = readDataUrl(url, IMAGE_TYPE);
  if (!read) throw invalid(`${place}.image_url must be a data URL of an image, such as data:image/png;base64,…`);
  return { name: null, ...read };
}

const ANY_TYPE = /^data:([\w.+-]{1,100}\/[\w.+-]{1,100})(?:;[\w=.-]{1,100}){0,4};base64,/i;
const IMAGE_TYPE = /^data:(image\/[a-z0-9.+-]{1,100});base64,/i;

function readDataUrl(url: string | null | undefined, form: RegExp): Omit<SentFile, 'name'> | null {
  const [head, mediaType] = form.exec(url?.slice(0, 800) ?? '') ?? [];
  if (!url || head === undefined || mediaType === undefined) return null;
  return { mediaType, content: Buffer.from(url.slice(head.length), 'base64') };
}
