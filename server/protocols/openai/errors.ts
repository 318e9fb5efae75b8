import { AppError, type Problem } from '../../../contract/errors.ts';
import { say } from '../../../contract/texts.ts';
import type { Turn } from '../../../contract/turns.ts';

export interface OpenAiError {
  error: { message: string; type: string; param: string | null; code: string; should_retry?: boolean };
}

/** A failure as clients of the OpenAI API read it. */
export function toOpenAiError({ status, code, detail, issues }: Problem): OpenAiError {
  // An issue begins with the place it is about.
  const param = issues?.[0]?.split(' ', 1)[0] ?? null;
  return { error: { message: detail, type: typeOf(status), param, code: CODES[code] ?? code } };
}

const CODES: Partial<Record<Problem['code'], string>> = {
  agent_not_found: 'model_not_found',
  unauthorized: 'invalid_api_key',
};

function typeOf(status: number): string {
  if (status === 401) return 'authentication_error';
  if (status === 403) return 'permission_error';
  if (status === 429) return 'rate_limit_error';
  return status < 500 ? 'invalid_request_error' : 'server_error';
}

/** A field that Parley cannot honour, although the client counts on it. */
export function unsupported(param: string): AppError {
  const text = say('unsupported_parameter', { name: param });
  return new AppError('unsupported_parameter', text, { issues: [`${param} is not supported`] });
}

export function invalid(issue: string): AppError {
  return new AppError('invalid_request', issue, { issues: [issue] });
}

/** How a turn that did not complete is told; null when it did. */
export function turnFailure({ state, error }: Turn): OpenAiError | null {
  if (state === 'complete') return null;
  const message = error?.message ?? `The turn was ${state}.`;
  const code = error?.code ?? `turn_${state}`;
  // What was accepted is not sent again: in a stream, no header can say so any more.
  return { error: { message, type: 'server_error', param: null, code, should_retry: false } };
}
