import { AppError } from '../../contract/errors.ts';
import { say } from '../../contract/texts.ts';
import { describeStorageFailure } from './failure.ts';
import { type QueryFailure, TOO_SLOW } from './query-thread.ts';

/** A query gave up, because its time was over. */
export class QueryTooSlowError extends Error {}

/** What a thread says of a query that failed. */
export function describeQueryFailure(error: unknown): QueryFailure {
  if (error instanceof QueryTooSlowError) return TOO_SLOW;
  const described = describeStorageFailure(error);
  if (described instanceof AppError) {
    const { code, message, text } = described;
    return { code, message: text ? { ...text, message } : message };
  }
  return { code: 'internal_error', message: say('internal_error') };
}
