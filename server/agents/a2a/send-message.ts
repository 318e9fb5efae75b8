import { type Message, type StreamResponse, TaskState } from '@a2a-js/sdk';
import { HOPS_HEADER } from '../../../contract/hops.ts';
import { FetchFailure } from '../../tools/guarded-fetch-failure.ts';
import { followTask } from './follow-task.ts';
import { toRequest } from './outgoing.ts';
import { PeerAway } from './patient-fetch.ts';
import type { Peer } from './peer.ts';
import { QUIET, tooQuiet, untilQuiet, within } from './silence.ts';
import type { TaskReader } from './task-reader.ts';

type Events = AsyncGenerator<StreamResponse, void, undefined>;

export interface Sending {
  readonly message: Message;
  /** How many servers the message has passed through, this one included. */
  readonly hops: number;
  readonly signal: AbortSignal;
  /** Knows the task as soon as the peer has named it. */
  readonly reader: TaskReader;
}

/** What comes of a message. A task whose connection breaks, or is silent for long, is followed on another one. */
export async function* sendMessage(peer: Peer, sending: Sending): Events {
  const { reader, signal } = sending;
  const events = untilQuiet(responsesTo(peer, sending), { ms: peer.quietMs, waitsUntil: peer.waitsUntil });
  let isHeard = false;
  try {
    for (;;) {
      const { done, value } = await events.next();
      if (done && !value) return;
      if (done) break;
      isHeard = true;
      yield value;
    }
  } catch (error) {
    if (signal.aborted || reader.taskId === '' || !isBroken(error)) throw error;
  } finally {
    void events.return(false).catch(() => undefined);
  }
  if (reader.taskId === '') throw tooQuiet(peer.quietMs);
  yield* isHeard ? followTask(peer, reader.taskId, signal) : followAnswered(peer, reader.taskId, signal);
}

async function* responsesTo({ client, streams }: Peer, { message, hops, signal }: Sending): Events {
  const options = { signal, serviceParameters: { [HOPS_HEADER]: String(hops) } };
  const request = toRequest(message);
  if (streams) return yield* client.sendMessageStream(request, options);
  const result = await client.sendMessage(request, options);
  yield { payload: 'messageId' in result ? { $case: 'message', value: result } : { $case: 'task', value: result } };
}

/** The network failed, and not the peer: what Node says has a cause, or is a `TypeError`. */
function isBroken(error: unknown): boolean {
  const isKnown = error instanceof FetchFailure || error instanceof PeerAway;
  return isKnown || error instanceof TypeError || (error as Error).cause !== undefined;
}

/** Follows a task whose answer may not have arrived: one that still asks after a while is not followed any longer. */
export async function* followAnswered(peer: Peer, taskId: string, signal: AbortSignal): Events {
  const events = followTask(peer, taskId, signal);
  try {
    for (let asks = true; ; ) {
      const next = asks ? await within(peer.quietMs, events.next()) : await events.next();
      if (next === QUIET) throw tooQuiet(peer.quietMs);
      if (next.done) return;
      asks &&= isAsking(next.value);
      yield next.value;
    }
  } finally {
    void events.return().catch(() => undefined);
  }
}

function isAsking({ payload }: StreamResponse): boolean {
  if (payload?.$case !== 'task' && payload?.$case !== 'statusUpdate') return false;
  const state = payload.value.status?.state;
  return state === TaskState.TASK_STATE_INPUT_REQUIRED || state === TaskState.TASK_STATE_AUTH_REQUIRED;
}
