import {
  Artifact,
  Message,
  SendMessageRequest,
  type StreamResponse,
  type Task,
  type TaskPushNotificationConfig,
  TaskStatus,
} from '@a2a-js/sdk';
import { toLegacyHTTPError } from '@a2a-js/sdk/compat/v0_3/server';
import { RequestMalformedError } from '@a2a-js/sdk/errors';
import { z } from 'zod';
import type { Dialect } from './rest.ts';

/**
 * HTTP+JSON of version 0.3: the JSON of its protocol buffers, which differs from that of its JSON-RPC. It has names of its
 * own for the parts of a message, the message of a status and the state of a cancelled task.
 */
export const LEGACY: Dialect = {
  sendRequest: toSendRequest,
  sent: (task) => ({ task: fromTask(task) }),
  task: fromTask,
  event: fromEvent,
  configRequest: toConfigRequest,
  config: fromConfig,
  configs: ({ configs }) => ({ configs: configs.map(fromConfig), nextPageToken: '' }),
  failure: (error) => toLegacyHTTPError(error),
};

const Fields = z.record(z.string(), z.unknown());

const LegacyPart = z.object({
  text: z.string().optional(),
  file: z
    .object({ fileWithUri: z.string(), fileWithBytes: z.string(), mimeType: z.string(), name: z.string() })
    .partial()
    .optional(),
  data: z.object({ data: z.unknown() }).optional(),
  metadata: Fields.nullish(),
});

const LegacyConfig = z.object({
  id: z.string().default(''),
  url: z.string().default(''),
  token: z.string().default(''),
  authentication: z.object({ schemes: z.array(z.string()).default([]), credentials: z.string().default('') }).nullish(),
});

const LegacySend = z.object({
  request: Fields.nullish(),
  message: Fields.nullish(),
  configuration: z.looseObject({ blocking: z.boolean().nullish(), pushNotification: LegacyConfig.nullish() }).nullish(),
});

const LegacyCreateConfig = z.object({
  configId: z.string().default(''),
  config: z.object({ pushNotificationConfig: LegacyConfig }).optional(),
  pushNotificationConfig: LegacyConfig.optional(),
});

function toSendRequest(body: unknown): SendMessageRequest {
  const { request, message, configuration } = read(LegacySend, body);
  const { content, parts = content, ...rest } = message ?? request ?? {};
  const { blocking, pushNotification, ...more } = configuration ?? {};
  const sent = SendMessageRequest.fromJSON({
    ...((message ?? request) && { message: { ...rest, parts: read(z.array(LegacyPart), parts ?? []).map(toPart) } }),
    // A flag that is false is left out there.
    configuration: { ...more, returnImmediately: configuration ? blocking !== true : false },
  });
  const taskPushNotificationConfig = pushNotification ? toConfig(pushNotification, '') : undefined;
  return { ...sent, configuration: { ...sent.configuration!, taskPushNotificationConfig } };
}

function toPart({ text, file, data, metadata }: z.infer<typeof LegacyPart>): object {
  const about = { metadata, filename: file?.name ?? '', mediaType: file?.mimeType ?? '' };
  if (file?.fileWithBytes !== undefined) return { raw: file.fileWithBytes, ...about };
  if (file) return { url: file.fileWithUri ?? '', ...about };
  return data ? { data: data.data, ...about } : { text: text ?? '', ...about };
}

function toConfigRequest(body: unknown, taskId: string): TaskPushNotificationConfig {
  const { config, configId, pushNotificationConfig = config?.pushNotificationConfig } = read(LegacyCreateConfig, body);
  if (!pushNotificationConfig) throw new RequestMalformedError('The request has no push notification configuration.');
  return toConfig({ ...pushNotificationConfig, id: pushNotificationConfig.id || configId }, taskId);
}

function toConfig({ id, url, token, authentication }: z.infer<typeof LegacyConfig>, taskId: string) {
  const { schemes = [], credentials = '' } = authentication ?? {};
  const scheme = schemes[0];
  return {
    tenant: '',
    id,
    taskId,
    url,
    token,
    authentication: scheme === undefined ? undefined : { scheme, credentials },
  };
}

function fromConfig({ id, taskId, url, token, authentication }: TaskPushNotificationConfig): object {
  const { scheme, credentials } = authentication ?? {};
  return {
    name: `tasks/${taskId}/pushNotificationConfigs/${id}`,
    pushNotificationConfig: { id, url, token, ...(scheme && { authentication: { schemes: [scheme], credentials } }) },
  };
}

function fromTask({ id, contextId, status, artifacts, metadata }: Task): object {
  return { id, contextId, status: fromStatus(status), artifacts: artifacts.map(fromArtifact), history: [], metadata };
}

function fromEvent({ payload }: StreamResponse): object {
  switch (payload?.$case) {
    case 'task':
      return { task: fromTask(payload.value) };
    case 'message':
      return { msg: fromMessage(payload.value) };
    case 'statusUpdate': {
      const { taskId, contextId, status, metadata } = payload.value;
      // A stream here ends with its one change of state.
      return { statusUpdate: { taskId, contextId, status: fromStatus(status), metadata, final: true } };
    }
    case 'artifactUpdate': {
      const { taskId, contextId, artifact, append, lastChunk, metadata } = payload.value;
      const shown = artifact && fromArtifact(artifact);
      return { artifactUpdate: { taskId, contextId, artifact: shown, append, lastChunk, metadata } };
    }
    default:
      return {};
  }
}

function fromStatus(status: TaskStatus | undefined): object {
  const { message, timestamp } = status ?? {};
  const { state } = status ? (TaskStatus.toJSON(status) as { state?: string }) : {};
  return {
    state: state === 'TASK_STATE_CANCELED' ? 'TASK_STATE_CANCELLED' : state,
    ...(message && { update: fromMessage(message) }),
    timestamp,
  };
}

interface WrittenPart {
  text?: string;
  raw?: string;
  url?: string;
  data?: unknown;
  filename?: string;
  mediaType?: string;
  metadata?: object;
}

function fromMessage(message: Message): object {
  const { parts = [], ...rest } = Message.toJSON(message) as { parts?: WrittenPart[] };
  return { ...rest, content: parts.map(fromPart) };
}

function fromArtifact(artifact: Artifact): object {
  const { parts = [], ...rest } = Artifact.toJSON(artifact) as { parts?: WrittenPart[] };
  return { ...rest, parts: parts.map(fromPart) };
}

function fromPart({ text, raw, url, data, filename: name, mediaType: mimeType, metadata }: WrittenPart): object {
  if (raw !== undefined) return { file: { fileWithBytes: raw, mimeType, name }, metadata };
  if (url !== undefined) return { file: { fileWithUri: url, mimeType, name }, metadata };
  return data === undefined ? { text, metadata } : { data: { data }, metadata };
}

function read<T>(schema: z.ZodType<T>, given: unknown): T {
  const { data, error } = schema.safeParse(given ?? {});
  if (error) throw new RequestMalformedError(`The request is not valid: ${error.issues[0]?.path.join('.')}`);
  return data as T;
}
