import {
  A2AError,
  ContentTypeNotSupportedError,
  RequestMalformedError,
  TaskNotFoundError,
  UnsupportedOperationError,
} from '@a2a-js/sdk/errors';
import { AppError, ERROR_STATUS, type ErrorCode } from '../../../contract/errors.ts';

const MISSING = new Set<ErrorCode>(['turn_not_found', 'session_not_found', 'action_not_found']);
/** The message itself is at fault. */
const MALFORMED = new Set([400, 413, 422]);

/** A refusal in the protocol's own errors; null when it is the server that could not: too much work, no space, a defect. */
export function toRefusal(error: unknown): A2AError | null {
  if (error instanceof A2AError) return error;
  if (!(error instanceof AppError)) return null;
  const { code, message } = error;
  const status = ERROR_STATUS[code];
  if (MISSING.has(code)) return new TaskNotFoundError(message);
  if (status === 415) return new ContentTypeNotSupportedError(message);
  if (MALFORMED.has(status) || code === 'message_id_conflict') return new RequestMalformedError(message);
  // A circle of servers does not go away by waiting.
  const isServers = (status >= 500 && code !== 'too_many_hops') || status === 429;
  return isServers ? null : new UnsupportedOperationError(message);
}
