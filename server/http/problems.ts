import { AppError, ERROR_STATUS, type ErrorCode, type Problem } from '../../contract/errors.ts';
import { say, type TextRef } from '../../contract/texts.ts';
import { describeStorageFailure } from '../storage/failure.ts';

/** The one place where an error becomes an answer. What nobody named is a 500 without words of its own. */
export function toProblem(
  error: unknown,
  requestId: string,
): { problem: Problem; known: boolean; headers: Record<string, string> } {
  const described = describeStorageFailure(error);
  if (!(described instanceof AppError)) {
    return {
      problem: problemOf('internal_error', say('internal_error').message, requestId),
      known: false,
      headers: {},
    };
  }
  const problem = problemOf(described.code, shorten(described.message), requestId);
  if (described.text) problem.text = { key: described.text.key, values: shortened(described.text.values) };
  if (described.issues) problem.issues = described.issues.map(shorten);
  const { retryAfterSeconds } = described;
  return { problem, known: true, headers: retryAfterSeconds ? { 'Retry-After': String(retryAfterSeconds) } : {} };
}

const MOST_CHARACTERS = 1000;

/** A sentence about what somebody sent may quote it; a name of a megabyte is not sent back. */
function shorten(text: string): string {
  return text.length <= MOST_CHARACTERS ? text : `${text.slice(0, MOST_CHARACTERS).toWellFormed()}…`;
}

function shortened(values: TextRef['values']): TextRef['values'] {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, typeof value === 'string' ? shorten(value) : value]),
  );
}

function problemOf(code: ErrorCode, detail: string, requestId: string): Problem {
  const title = code.replaceAll('_', ' ');
  return { type: `urn:parley:problem:${code}`, title, status: ERROR_STATUS[code], code, detail, requestId };
}

export function problemResponse(problem: Problem, headers: Record<string, string>): Response {
  return new Response(JSON.stringify(problem), {
    status: problem.status,
    headers: { 'Content-Type': 'application/problem+json', 'Cache-Control': 'no-store', ...headers },
  });
}
