import { createParser } from 'eventsource-parser';
import { readFrame } from '../../contract/streamed-messages.ts';

export interface Frame {
  id: string | undefined;
  type: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into frames of every kind
  data: any;
}

/** The frames of an event stream as they arrive; ends when the server ends it, or when it is aborted. */
export async function* readFrames(response: Response): AsyncGenerator<Frame> {
  const frames: Frame[] = [];
  const parser = createParser({
    onEvent: ({ id, event, data }) => void frames.push({ id, type: event ?? 'message', data: readFrame(data) }),
  });
  const decoder = new TextDecoder();
  try {
    for await (const chunk of response.body!) {
      parser.feed(decoder.decode(chunk, { stream: true }));
      yield* frames.splice(0);
    }
  } catch (error) {
    if (!(error instanceof Error) || !['AbortError', 'TypeError'].includes(error.name)) throw error;
  }
}
