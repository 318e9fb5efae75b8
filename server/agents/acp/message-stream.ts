import type { AnyMessage, Stream } from '@agentclientprotocol/sdk';
import type { Child } from '../../processes/child.ts';

/** What a program has not yet read of what it was sent. A program that never reads is given up. */
const MOST_UNREAD = 16_000_000;

/**
 * The lines of a program as the messages of the protocol. `room` holds the reader back: what is not read waits in the pipe,
 * and the program with it. Lines that are no messages are skipped, because some programs also print to their output.
 */
export function messageStream(child: Child, room: () => Promise<void> | undefined): Stream {
  return { readable: readMessages(child, room), writable: writeMessages(child) };
}

function readMessages(child: Child, room: () => Promise<void> | undefined): ReadableStream<AnyMessage> {
  const lines = child.lines[Symbol.asyncIterator]();
  return new ReadableStream<AnyMessage>({
    async pull(controller) {
      for (;;) {
        await room();
        const { value, done } = await lines.next();
        if (done) return controller.close();
        const message = readMessage(value);
        if (message) return controller.enqueue(message);
      }
    },
    cancel: async () => void (await lines.return?.()),
  });
}

function readMessage(line: string): AnyMessage | null {
  if (!line.startsWith('{')) return null;
  try {
    return JSON.parse(line) as AnyMessage;
  } catch {
    return null;
  }
}

function writeMessages(child: Child): WritableStream<AnyMessage> {
  let unread = 0;
  return new WritableStream<AnyMessage>({
    async write(message) {
      const line = `${JSON.stringify(message)}\n`;
      unread += line.length;
      if (unread > MOST_UNREAD) throw new Error('It does not read its input.');
      await child.write(line);
      unread -= line.length;
    },
  });
}
