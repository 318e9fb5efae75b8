import { createParser, type EventSourceMessage } from 'eventsource-parser';

/** The events of an SSE body, as they come. Ends with the body; leaving the loop lets go of the connection. */
export async function* readSse(
  body: ReadableStream<Uint8Array>,
  onBytes?: () => void,
): AsyncGenerator<EventSourceMessage> {
  const arrived: EventSourceMessage[] = [];
  const parser = createParser({ onEvent: (event) => void arrived.push(event) });
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
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
