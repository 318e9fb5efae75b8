import { AppError, type ErrorCode } from '../../../contract/errors.ts';
import type { Share } from '../../../contract/shares.ts';
import type { PageTextKey } from '../../i18n/en.ts';
import { text } from '../../i18n/page-words.ts';

/**
 * Under the address that is configured for others, otherwise under the one at which this page was opened: the server does not
 * see what a proxy in front of it makes of its own.
 */
export function linkOf({ url }: Share, origin: string): string {
  return origin + new URL(url).pathname;
}

/** Whether an address leads to this machine from this machine only, and so does every link made under it. */
export function isOnlyHere(hostname: string): boolean {
  return /^(?:(?:.+\.)?localhost|127(?:\.\d{1,3}){3}|\[?::1\]?)$/i.test(hostname);
}

const WORDS: Partial<Record<ErrorCode, PageTextKey>> = {
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
