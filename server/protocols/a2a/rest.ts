import {
  ListTaskPushNotificationConfigsResponse,
  ListTasksRequest,
  ListTasksResponse,
  SendMessageRequest,
  SendMessageResponse,
  StreamResponse,
  Task,
  TaskPushNotificationConfig,
} from '@a2a-js/sdk';
import { A2AError, RequestMalformedError, restStatusFor, TaskNotFoundError, toRestErrorBody } from '@a2a-js/sdk/errors';
import type { TurnRequestHandler } from './request-handler.ts';
import { LEGACY } from './rest-legacy.ts';

export interface RestRequest {
  readonly method: string;
  readonly operation: string;
  readonly query: Record<string, string>;
  readonly body: unknown;
  /** As it is shown to clients of both versions. */
  readonly card: object;
}

export interface RestAnswer {
  readonly status: number;
  readonly body: unknown;
}

/** How one version of the protocol writes requests and answers. */
export interface Dialect {
  sendRequest(body: unknown): SendMessageRequest;
  sent(task: Task): unknown;
  task(task: Task): unknown;
  event(event: StreamResponse): unknown;
  configRequest(body: unknown, taskId: string): TaskPushNotificationConfig;
  config(config: TaskPushNotificationConfig): unknown;
  configs(configs: ListTaskPushNotificationConfigsResponse): unknown;
  failure(error: A2AError, status: number): unknown;
}

const CURRENT: Dialect = {
  sendRequest: (body) => SendMessageRequest.fromJSON(body ?? {}),
  sent: (value) => SendMessageResponse.toJSON({ payload: { $case: 'task', value } }),
  task: (task) => Task.toJSON(task),
  event: (event) => StreamResponse.toJSON(event),
  configRequest: (body, taskId) => TaskPushNotificationConfig.fromJSON({ ...(body as object), taskId }),
  config: (config) => TaskPushNotificationConfig.toJSON(config),
  configs: (configs) => ListTaskPushNotificationConfigsResponse.toJSON(configs),
  failure: (error, status) => toRestErrorBody(error, status),
};

/** Paths of version 0.3 begin with this. */
export const LEGACY_PREFIX = 'v1/';

/** The HTTP+JSON binding of A2A, versions 1.0 and 0.3. Null for what it does not have. */
export async function answerRest(
  handler: TurnRequestHandler,
  request: RestRequest,
): Promise<RestAnswer | AsyncGenerator<unknown> | null> {
  const isLegacy = request.operation.startsWith(LEGACY_PREFIX);
  const dialect = isLegacy ? LEGACY : CURRENT;
  const operation = isLegacy ? request.operation.slice(LEGACY_PREFIX.length) : request.operation;
  try {
    if (operation.includes('/pushNotificationConfigs'))
      return await dispatchConfigs(handler, dialect, { ...request, operation });
    return await dispatch(handler, dialect, { ...request, operation });
  } catch (error) {
    if (!(error instanceof A2AError)) throw error;
    const status = restStatusFor(error);
    return { status, body: dialect.failure(error, status) };
  }
}

async function dispatch(handler: TurnRequestHandler, dialect: Dialect, request: RestRequest) {
  const { method, operation, query, body, card } = request;
  const [, id, verb] = /^tasks\/([^/:]+)(?::(\w+))?$/.exec(operation) ?? [];
  const key = `${method} ${id === undefined ? operation : `tasks/*${verb ? `:${verb}` : ''}`}`;
  const task = { tenant: '', id: decoded(id) };
  switch (key) {
    case 'POST message:send':
      return ok(dialect.sent(await handler.sendMessage(readable(() => dialect.sendRequest(body)))));
    case 'POST message:stream':
      return started(dialect, handler.sendMessageStream(readable(() => dialect.sendRequest(body))));
    case 'GET tasks':
      return dialect === LEGACY ? null : ok(ListTasksResponse.toJSON(await handler.listTasks(listing(query))));
    case 'GET tasks/*':
      return ok(dialect.task(await handler.getTask(task)));
    case 'POST tasks/*:cancel':
      return ok(dialect.task(await handler.cancelTask({ ...task, metadata: undefined })));
    case 'POST tasks/*:subscribe':
    case 'GET tasks/*:subscribe':
      return started(dialect, handler.resubscribe(task));
    case 'GET extendedAgentCard':
    case 'GET card':
      return ok(card);
    default:
      return null;
  }
}

async function dispatchConfigs(
  handler: TurnRequestHandler,
  dialect: Dialect,
  { method, operation, body }: RestRequest,
): Promise<RestAnswer | null> {
  const [, task, config] = /^tasks\/([^/:]+)\/pushNotificationConfigs(?:\/([^/:]+))?$/.exec(operation) ?? [];
  if (task === undefined) return null;
  const [taskId, id] = [decoded(task), decoded(config)];
  const wanted = { tenant: '', taskId, id };
  switch (`${method} ${config === undefined ? 'all' : 'one'}`) {
    case 'POST all': {
      const created = await handler.createTaskPushNotificationConfig(
        readable(() => dialect.configRequest(body, taskId)),
      );
      return { status: 201, body: dialect.config(created) };
    }
    case 'GET all': {
      const listed = { ...wanted, pageSize: 0, pageToken: '' };
      return ok(dialect.configs(await handler.listTaskPushNotificationConfigs(listed)));
    }
    case 'GET one':
      return ok(dialect.config(await handler.getTaskPushNotificationConfig(wanted)));
    case 'DELETE one':
      await handler.deleteTaskPushNotificationConfig(wanted);
      return { status: 204, body: null };
    default:
      return null;
  }
}

/** What the library cannot make anything of, such as a part that is null, is the client's mistake. */
function readable<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw error instanceof A2AError ? error : new RequestMalformedError('The request is not valid.');
  }
}

/** A segment of a path that is written wrongly names nothing. */
function decoded(segment = ''): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw new TaskNotFoundError();
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
async function started(dialect: Dialect, events: AsyncGenerator<StreamResponse>): Promise<AsyncGenerator<unknown>> {
  const first = await events.next();
  return (async function* () {
    if (!first.done) yield dialect.event(first.value);
    for await (const event of events) yield dialect.event(event);
  })();
}
