import type { ErrorCode } from '../../contract/errors.ts';
import type { SearchHit } from '../../contract/sessions.ts';
import { say, type Text } from '../../contract/texts.ts';

/** The hits with, for the next page, the rows they are. */
export interface SearchAnswer {
  hits: SearchHit[];
  rids: number[];
}

export interface SearchFailure {
  code: ErrorCode;
  message: string | Text;
}

/** What the search thread says to each plan it is sent, once. */
export type SearchReply = { answer: SearchAnswer } | { failure: SearchFailure };

export const TOO_SLOW: SearchFailure = {
  code: 'search_invalid',
  message: say('search_invalid.tooSlow'),
};
