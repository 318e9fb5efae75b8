import type { ErrorCode } from '../../contract/errors.ts';
import type { SearchHit } from '../../contract/sessions.ts';

/** The hits with, for the next page, the rows they are. */
export interface SearchAnswer {
  hits: SearchHit[];
  rids: number[];
}

export interface SearchFailure {
  code: ErrorCode;
  message: string;
}

/** What the search thread says to each plan it is sent, once. */
export type SearchReply = { answer: SearchAnswer } | { failure: SearchFailure };

export const TOO_SLOW: SearchFailure = {
  code: 'search_invalid',
  message: 'This search takes too long. Add a rarer word, or narrow it with session:, agent: or from:.',
};
