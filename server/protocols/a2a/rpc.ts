import { LegacyJsonRpcTransportHandler } from '@a2a-js/sdk/compat/v0_3/server';
import { A2AError, RequestMalformedError } from '@a2a-js/sdk/errors';
import { JsonRpcTransportHandler, ServerCallContext } from '@a2a-js/sdk/server';
import { z } from 'zod';
import type { TurnRequestHandler } from './request-handler.ts';

type Answer = Awaited<ReturnType<JsonRpcTransportHandler['handle']>>;

/** A request of JSON-RPC, in the version that it names. What is refused before the first event is an ordinary answer. */
export async function answerRpc(
  handler: TurnRequestHandler,
  body: Record<string, unknown>,
  requestedVersion: string,
): Promise<object | AsyncGenerator<object>> {
  const Handler = requestedVersion.startsWith('0.3') ? LegacyJsonRpcTransportHandler : JsonRpcTransportHandler;
  const refuse = (error: A2AError) => refusal(Handler, body, error);
  if (!Params.safeParse(body.params).success) return refuse(malformed());
  const answer = await new Handler(handler).handle(body, new ServerCallContext({ requestedVersion }));
  if (handler.failure) throw handler.failure.error;
  if (!isStream(answer)) return isUnreadable(answer) ? refuse(malformed()) : answer;
  try {
    return begun(await answer.next(), answer);
  } catch (error) {
    if (error instanceof A2AError) return refuse(error);
    throw error;
  }
}

const Text = z.string().nullish();
const NoObject = z.unknown().refine((value) => typeof value !== 'object' || value === null || Array.isArray(value));
const Message = z.looseObject({ messageId: Text, contextId: Text, taskId: Text });
const Config = z.looseObject({ id: Text, url: Text, token: Text });

/** What the library takes as it comes, although it counts on texts. It says itself what else is missing. */
const Params = NoObject.or(
  z.looseObject({
    ...{ id: Text, taskId: Text, contextId: Text, pageToken: Text, pushNotificationConfigId: Text },
    message: NoObject.or(Message).optional(),
    pushNotificationConfig: NoObject.or(Config).optional(),
  }),
);

function malformed(): RequestMalformedError {
  return new RequestMalformedError('The parameters of the request are not valid.');
}

/** What fails here and not in the handler is a request that could not be read. */
function isUnreadable(answer: object): boolean {
  return (answer as { error?: { code?: unknown } }).error?.code === INTERNAL_ERROR;
}

const INTERNAL_ERROR = -32603;

function refusal(
  Handler: typeof JsonRpcTransportHandler | typeof LegacyJsonRpcTransportHandler,
  { id }: Record<string, unknown>,
  error: A2AError,
): object {
  const toError =
    Handler === JsonRpcTransportHandler
      ? JsonRpcTransportHandler.mapToJSONRPCError
      : LegacyJsonRpcTransportHandler.mapToLegacyJSONRPCError;
  return { jsonrpc: '2.0', id: typeof id === 'string' || typeof id === 'number' ? id : null, error: toError(error) };
}

function isStream(answer: Answer | object): answer is AsyncGenerator<object> {
  return Symbol.asyncIterator in answer;
}

async function* begun(first: IteratorResult<object>, rest: AsyncGenerator<object>): AsyncGenerator<object> {
  if (first.done) return;
  yield first.value;
  yield* rest;
}
