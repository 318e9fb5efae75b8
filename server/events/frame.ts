/** From this size on a frame is turned into bytes once, for all clients; smaller ones are cheaper to gather as text. */
const SHARED_BYTES = 16_384;

/** What is written to a stream: one event, or one piece of live text. */
export interface Frame {
  readonly content: string | Buffer;
  readonly bytes: number;
}

export function toFrame(type: string, json: string): Frame {
  const content = `event: ${type}\ndata: ${json}\n\n`;
  const bytes = Buffer.byteLength(content);
  return { content: bytes < SHARED_BYTES ? content : Buffer.from(content), bytes };
}

/** A durable event as streams need it. */
export interface EventFrame {
  readonly sessionId: string;
  readonly seq: number;
  readonly position: number;
  readonly frame: Frame;
}
