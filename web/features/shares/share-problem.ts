import { AppError, type ErrorCode } from '../../../contract/errors.ts';
import type { TextKey } from '../../i18n/en.ts';
import { text } from '../../i18n/text.ts';

const WORDS: Partial<Record<ErrorCode, TextKey>> = {
  nothing_to_share: 'share.nothing',
  share_too_large: 'share.tooLarge',
  session_busy: 'share.changed',
};

/** Why there is no link, and what to do about it. */
export function shareProblem(error: Error): string {
  if (!(error instanceof AppError)) return text('share.unreachable');
  const key = WORDS[error.code];
  return key ? text(key) : error.message;
}
