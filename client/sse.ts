import { createParser, type EventSourceMessage } from 'eventsource-parser';

/** The events of an SSE body, as they come. Ends with the body; leaving the loop lets go of the connection. */
export async function* readSse(
  body: ReadableStream<Uint8Array>,
  onBytes?: () => void,
  onId?: (id: string) => void,
): AsyncGenerator<EventSourceMessage> {
  const arrived: EventSourceMessage[] = [];
  let id: string | undefined;
  const noteId = (newest: string) => {
    id = newest;
  };
  const parser = createParser({ onEvent: (event) => void arrived.push(event), onId: noteId });
  const decoder = new TextDecoder();
  // Not `for await`: some browsers cannot iterate a stream.
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      onBytes?.();
      parser.feed(decoder.decode(value, { stream: true }));
      yield* arrived.splice(0);
      // Only now: what came before it has been taken.
      if (id !== undefined) onId?.(id);
      id = undefined;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
