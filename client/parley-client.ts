import type { StreamFrame } from '../contract/events.ts';
import type { Receipt, Revision, SendMessageInput, StreamMsg } from '../contract/turns.ts';
import { type FollowOptions, followEvents } from './event-stream.ts';
import { toRequest } from './route-call.ts';
import { RouteClient } from './route-client.ts';
import { openTurn, sendOnce, streamTurn, withId } from './send.ts';

export interface Waiting {
  /** Seconds to wait for the turn to settle; without it the receipt comes at once. */
  wait?: number | undefined;
  signal?: AbortSignal | undefined;
}

/** Routes that stream, or are repeated when the connection breaks. All others are called by their names. */
export class ParleyClient extends RouteClient {
  /** Accepted and durable when it returns; with `wait`, answered too. Repeated on network failure, accepted once. */
  sendMessage(sessionId: string, message: SendMessageInput, { wait, signal }: Waiting = {}): Promise<Receipt> {
    const { path } = toRequest('sendMessage', { sessionId });
    return sendOnce(this.transport, path, withId(message), { query: { wait }, signal });
  }

  /** A message said otherwise, in a branch of its own. Repeated on network failure, accepted once. */
  reviseMessage(messageId: string, revision: Revision, { wait, signal }: Waiting = {}): Promise<Receipt> {
    const { path } = toRequest('reviseMessage', { messageId });
    return sendOnce(this.transport, path, withId(revision), { query: { wait }, signal });
  }

  /** The turn's own frames until it is settled. */
  streamMessage(
    sessionId: string,
    message: SendMessageInput,
    { signal }: { signal?: AbortSignal } = {},
  ): AsyncGenerator<StreamFrame> {
    const { path } = toRequest('sendMessage', { sessionId });
    return streamTurn(this.transport, path, withId(message), signal);
  }

  /** Speaks in the session of (agent, sender). Has no id of its own, so nothing is repeated. */
  stream(message: StreamMsg, { signal }: { signal?: AbortSignal } = {}): AsyncGenerator<StreamFrame> {
    return openTurn(this.transport, toRequest('stream').path, message, signal);
  }

  /** Frames of all sessions, or of the named ones; `after` is a position (`SessionList.position`). */
  events(options: FollowOptions & { sessions?: readonly string[] | undefined } = {}): AsyncGenerator<StreamFrame> {
    const now = async () => (await this.call('listSessions', { query: { limit: 1 } })).position;
    const query = { sessions: options.sessions?.join(',') };
    return followEvents(this.transport, { ...options, path: toRequest('events').path, query, now });
  }

  /** One session's frames; `after` is the number of an event in it (`Session.lastSeq`). */
  sessionEvents(sessionId: string, options: FollowOptions = {}): AsyncGenerator<StreamFrame> {
    const now = async () => (await this.call('getSession', { sessionId })).lastSeq;
    const { path } = toRequest('sessionEvents', { sessionId });
    return followEvents(this.transport, { ...options, path, query: {}, now });
  }
}
