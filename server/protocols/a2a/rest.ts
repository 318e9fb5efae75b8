import {
  ListTasksRequest,
  ListTasksResponse,
  SendMessageRequest,
  SendMessageResponse,
  StreamResponse,
  Task,
} from '@a2a-js/sdk';
import { A2AError, restStatusFor, toRestErrorBody } from '@a2a-js/sdk/errors';
import type { TurnRequestHandler } from './request-handler.ts';

export interface RestRequest {
  readonly method: string;
  readonly operation: string;
  readonly query: Record<string, string>;
  readonly body: unknown;
}

export interface RestAnswer {
  readonly status: number;
  readonly body: unknown;
}

/** The HTTP+JSON binding of A2A 1.0. Null for what it does not have. */
export async function answerRest(
  handler: TurnRequestHandler,
  request: RestRequest,
): Promise<RestAnswer | AsyncGenerator<unknown> | null> {
  try {
    return await dispatch(handler, request);
  } catch (error) {
    if (error instanceof A2AError) return toFailure(error);
    throw error;
  }
}

async function dispatch(handler: TurnRequestHandler, { method, operation, query, body }: RestRequest) {
  const [, id, verb] = /^tasks\/([^/:]+)(?::(\w+))?$/.exec(operation) ?? [];
  const key = `${method} ${id === undefined ? operation : `tasks/*${verb ? `:${verb}` : ''}`}`;
  const task = { tenant: '', id: decodeURIComponent(id ?? '') };
  switch (key) {
    case 'POST message:send': {
      const value = await handler.sendMessage(SendMessageRequest.fromJSON(body));
      return ok(SendMessageResponse.toJSON({ payload: { $case: 'task', value } }));
    }
    case 'POST message:stream':
      return started(handler.sendMessageStream(SendMessageRequest.fromJSON(body)));
    case 'GET tasks':
      return ok(ListTasksResponse.toJSON(await handler.listTasks(listing(query))));
    case 'GET tasks/*':
      return ok(Task.toJSON(await handler.getTask(task)));
    case 'POST tasks/*:cancel':
      return ok(Task.toJSON(await handler.cancelTask({ ...task, metadata: undefined })));
    case 'POST tasks/*:subscribe':
    case 'GET tasks/*:subscribe':
      return started(handler.resubscribe(task));
    default:
      return null;
  }
}

/** What a query has as text, the protocol's own reader makes of it. */
function listing({ pageSize, historyLength, includeArtifacts, ...query }: Record<string, string>): ListTasksRequest {
  return ListTasksRequest.fromJSON({
    ...query,
    ...(pageSize !== undefined && { pageSize: Number(pageSize) || 0 }),
    ...(historyLength !== undefined && { historyLength: Number(historyLength) || 0 }),
    ...(includeArtifacts !== undefined && { includeArtifacts: includeArtifacts === 'true' }),
  });
}

function ok(body: unknown): RestAnswer {
  return { status: 200, body };
}

/** What is refused before the first event is an ordinary answer. */
async function started(events: AsyncGenerator<StreamResponse>): Promise<AsyncGenerator<unknown>> {
  const first = await events.next();
  return (async function* () {
    if (!first.done) yield StreamResponse.toJSON(first.value);
    for await (const event of events) yield StreamResponse.toJSON(event);
  })();
}

function toFailure(error: A2AError): RestAnswer {
  const status = restStatusFor(error);
  return { status, body: toRestErrorBody(error, status) };
}
