import type { ListTaskPushNotificationConfigsResponse, TaskPushNotificationConfig } from '@a2a-js/sdk';
import { RequestMalformedError, TaskNotFoundError, UnsupportedOperationError } from '@a2a-js/sdk/errors';
import { newId } from '../../../contract/ids.ts';
import type { Turn } from '../../../contract/turns.ts';
import type { PushConfigRow } from '../../storage/tables.ts';
import { assertFetchable } from '../../tools/guarded-fetch-hop.ts';
import type { Pushes } from './pushes.ts';

const MAX_URL = 2000;
const MAX_SECRET = 4000;
/** What a header may hold. */
const HEADER_VALUE = /^[\x20-\x7e]*$/;
const SCHEME = /^[A-Za-z0-9._~+-]*$/;
const CONFIG_ID = /^[\w.-]{1,128}$/;

export interface PushScope {
  readonly pushes: Pushes;
  readonly owner: string;
  /** Of the protocol that the caller speaks. */
  readonly version: PushConfigRow['version'];
}

/** Where the caller wants to be told how a task stands. Nothing is stored that could not be sent. */
export async function createConfig(
  { pushes, owner, version }: PushScope,
  turn: Turn,
  given: TaskPushNotificationConfig,
): Promise<TaskPushNotificationConfig> {
  assertConfig({ pushes }, given);
  const { url, token, authentication } = given;
  const config_id = given.id || newId();
  const { scheme = '', credentials = '' } = authentication ?? {};
  const target = { turn_id: turn.id, session_id: turn.sessionId, owner, version };
  const isSaved = await pushes.save({ ...target, config_id, url, token, scheme, credentials });
  if (!isSaved) throw new UnsupportedOperationError('There are too many push notification configurations.');
  return { ...given, id: config_id, taskId: turn.id };
}

export async function getConfig(
  { pushes }: PushScope,
  turnId: string,
  id: string,
): Promise<TaskPushNotificationConfig> {
  const configs = await pushes.list(turnId);
  // A client of version 0.3 may leave the id out when there is one only.
  const found = id === '' ? configs[0] : configs.find(({ config_id }) => config_id === id);
  if (!found) throw new TaskNotFoundError('The task has no such push notification configuration.');
  return toConfig(found);
}

export async function listConfigs(
  { pushes }: PushScope,
  turnId: string,
): Promise<ListTaskPushNotificationConfigsResponse> {
  return { configs: (await pushes.list(turnId)).map(toConfig), nextPageToken: '' };
}

export async function deleteConfig({ pushes }: PushScope, turnId: string, id: string): Promise<void> {
  await pushes.delete(turnId, id);
}

/** Refuses what could not be sent. Names are judged when they are looked up, before each request. */
export function assertConfig({ pushes }: Pick<PushScope, 'pushes'>, given: TaskPushNotificationConfig): void {
  const { id, url, token, authentication } = given;
  if (id !== '' && !CONFIG_ID.test(id)) throw malformed('id must be 1 to 128 letters, digits, "_", "-" or "."');
  if (url.length > MAX_URL || !URL.canParse(url)) throw malformed('url must be a URL of at most 2,000 characters');
  if (!isSecret(token)) throw malformed('token must be printable ASCII of at most 4,000 characters');
  const { scheme = '', credentials = '' } = authentication ?? {};
  if (!SCHEME.test(scheme) || !isSecret(credentials) || scheme.length > 100)
    throw malformed('authentication must have a scheme and credentials that fit in a header');
  try {
    assertFetchable({ allowHosts: pushes.allowedHosts() }, new URL(url));
  } catch (error) {
    throw malformed((error as Error).message);
  }
}

function isSecret(text: string): boolean {
  return text.length <= MAX_SECRET && HEADER_VALUE.test(text);
}

function malformed(problem: string): RequestMalformedError {
  return new RequestMalformedError(`Push notification configuration: ${problem}`);
}

function toConfig({ turn_id, config_id, url, token, scheme, credentials }: PushConfigRow): TaskPushNotificationConfig {
  const authentication = scheme === '' ? undefined : { scheme, credentials };
  return { tenant: '', id: config_id, taskId: turn_id, url, token, authentication };
}
