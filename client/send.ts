import { AppError } from '../contract/errors.ts';
import type { StreamFrame } from '../contract/events.ts';
import { newId } from '../contract/ids.ts';
import { readFrame } from '../contract/streamed-messages.ts';
import type { SendMessageInput } from '../contract/turns.ts';
import { backoffMs, pause } from './backoff.ts';
import { ConnectionError } from './connection-error.ts';
import { readSse } from './sse.ts';
import type { Transport } from './transport.ts';

/**
 * How often a send is repeated when the connection breaks or the server cannot say whether it was saved. Its id makes
 * sure that it is accepted once.
 */
const ATTEMPTS = 4;

export interface Sending {
  signal?: AbortSignal | undefined;
  query?: { wait?: number | undefined };
}

/** Everything that can be sent again carries an id of its own making. */
export function withId<T extends { id?: string | undefined }>(message: T): T & { id: string } {
  return { ...message, id: message.id ?? newId() };
}

export async function sendOnce<T>(transport: Transport, path: string, body: unknown, sending: Sending): Promise<T> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await transport.json<T>('POST', path, { body, query: sending.query, signal: sending.signal });
    } catch (error) {
      await beforeNextAttempt(error, attempt, sending.signal);
    }
  }
}

/**
 * The frames of what answers a message, from its acceptance to its end. When the connection breaks, the same message is
 * sent again: the server says what the turn has said so far (`turn.partial`) and goes on from there.
 */
export async function* streamTurn(
  transport: Transport,
  path: string,
  message: SendMessageInput,
  signal?: AbortSignal,
): AsyncGenerator<StreamFrame> {
  const unsettled = new Set<string>();
  for (let attempt = 0; ; attempt++) {
    try {
      for await (const frame of openTurn(transport, path, message, signal)) {
        attempt = 0;
        yield frame;
        if (isLast(frame, message.id, unsettled)) return;
      }
      throw new ConnectionError(transport.baseUrl);
    } catch (error) {
      await beforeNextAttempt(error, attempt, signal);
    }
  }
}

/** Without retries: for sends that have no id. */
export async function* openTurn(
  transport: Transport,
  path: string,
  body: unknown,
  signal?: AbortSignal,
): AsyncGenerator<StreamFrame> {
  const headers = { Accept: 'text/event-stream' };
  const response = await transport.send('POST', path, { body, headers, signal });
  const events = readSse(response.body!);
  try {
    for (;;) {
      const { done, value } = await readNext(transport, events, signal);
      if (done) return;
      yield readFrame(value.data);
    }
  } finally {
    await events.return(undefined);
  }
}

async function readNext(transport: Transport, events: ReturnType<typeof readSse>, signal: AbortSignal | undefined) {
  try {
    return await events.next();
  } catch (error) {
    throw transport.failure(error, signal);
  }
}

/** Every turn that answers is over, or there is nothing left in which they could go on. Several agents may be named. */
function isLast(frame: StreamFrame, messageId: string | undefined, unsettled: Set<string>): boolean {
  if (frame.type === 'session.deleted' || frame.type === 'session.cleared') return true;
  if (frame.type === 'turn.removed') return isOver(unsettled, frame.turnId, frame.messageId === messageId);
  if (!('turn' in frame) || frame.turn.messageId !== messageId) return false;
  if (frame.type === 'turn.settled') return isOver(unsettled, frame.turn.id, true);
  unsettled.add(frame.turn.id);
  return false;
}

function isOver(unsettled: Set<string>, turnId: string, isOurs: boolean): boolean {
  unsettled.delete(turnId);
  return isOurs && unsettled.size === 0;
}

/** The server may have accepted the message or not; sent with the same id, it is accepted once. */
function isRepeatable(error: unknown): boolean {
  return error instanceof ConnectionError || (error instanceof AppError && error.code === 'storage_unconfirmed');
}

async function beforeNextAttempt(error: unknown, attempt: number, signal: AbortSignal | undefined): Promise<void> {
  if (!isRepeatable(error) || attempt + 1 >= ATTEMPTS) throw error;
  await pause(backoffMs(attempt), signal);
}
