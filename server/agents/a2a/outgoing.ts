import { type Message, type Part, Role, type SendMessageRequest } from '@a2a-js/sdk';
import type { ModelImage } from '../../models/types.ts';

export interface Sent {
  readonly messageId: string;
  readonly contextId: string;
  readonly taskId: string;
  readonly texts: readonly string[];
  readonly images?: readonly ModelImage[];
}

/** What a peer is sent. */
export function toMessage({ messageId, contextId, taskId, texts, images = [] }: Sent): Message {
  return {
    messageId,
    contextId,
    taskId,
    role: Role.ROLE_USER,
    parts: [...texts.map(toTextPart), ...images.map(toImagePart)],
    metadata: undefined,
    extensions: [],
    referenceTaskIds: [],
  };
}

export function toRequest(message: Message): SendMessageRequest {
  return { tenant: '', message, configuration: undefined, metadata: undefined };
}

function toTextPart(value: string): Part {
  return { content: { $case: 'text', value }, metadata: undefined, filename: '', mediaType: 'text/plain' };
}

function toImagePart({ mediaType, data }: ModelImage): Part {
  return {
    content: { $case: 'raw', value: Buffer.from(data, 'base64') },
    metadata: undefined,
    filename: `image.${mediaType.replace(/^image\//, '')}`,
    mediaType,
  };
}
