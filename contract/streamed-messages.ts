import type { SessionEvent, StreamedEvent, StreamFrame, WireFrame } from './events.ts';
import type { Message, Part } from './messages.ts';

type StreamedMessage = Omit<Message, 'text' | 'parts'> & { text?: string | undefined; parts?: Part[] | undefined };

/** An event as it travels: the words of its message once, as `text` or as `parts`. */
export function toStreamedEvent(event: SessionEvent): StreamedEvent {
  if (!('message' in event) || event.message === null) return event;
  return { ...event, message: toStreamed(event.message) };
}

/** Leaves `parts` out where the text is the only part, and `text` out where the parts say the same. */
function toStreamed(message: Message): StreamedMessage {
  const { text, parts } = message;
  if (isPlain(text, parts)) return { ...message, parts: undefined };
  return text === wordsOf(parts) ? { ...message, text: undefined } : message;
}

function isPlain(text: string, parts: readonly Part[]): boolean {
  if (parts.length > 1) return false;
  const part = parts[0];
  return part === undefined ? text === '' : part.type === 'text' && part.text === text;
}

/** A frame as the server sent it, with the text and the parts of its message. */
export function readFrame(data: string): StreamFrame {
  const frame = JSON.parse(data) as WireFrame;
  if (!('message' in frame) || !frame.message) return frame as StreamFrame;
  return { ...frame, message: fromStreamed(frame.message) } as StreamFrame;
}

function fromStreamed(message: StreamedMessage): Message {
  const { text, parts } = message;
  if (parts !== undefined) return { ...message, text: text ?? wordsOf(parts), parts };
  return { ...message, text: text ?? '', parts: text ? [{ type: 'text', text }] : [] };
}

/** What parts say in words. A delegated task that nothing else is said about stands for itself. */
function wordsOf(parts: readonly Part[]): string {
  const task = parts.length === 1 && parts[0]!.type === 'delegation' ? parts[0]!.task : '';
  return task || textOf(parts);
}

/** The text parts, with a blank line between them. */
export function textOf(parts: readonly Part[]): string {
  return parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n\n');
}
