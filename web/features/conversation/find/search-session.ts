import type { ParleyClient } from '../../../../client/parley-client.ts';
import type { Found, Hit } from './hits.ts';
import { toQuery } from './words.ts';

const PAGE = 100;
const MOST_PAGES = 10;

/** Everything of a session in which the words stand, loaded here or not, from top to bottom. */
export async function searchSession(
  client: Pick<ParleyClient, 'search'>,
  sessionId: string,
  words: readonly string[],
  upto: number,
  signal: AbortSignal,
): Promise<Found> {
  const q = toQuery(words);
  const hits: Hit[] = [];
  let cursor: string | null | undefined;
  for (let page = 0; page < MOST_PAGES && cursor !== null; page++) {
    const found = await client.search({ q, session: sessionId, limit: PAGE, ...(cursor && { cursor }) }, signal);
    hits.push(...found.hits.map(({ messageId, seq, count }) => ({ key: messageId, seq, places: count })));
    cursor = found.next;
  }
  return { hits: hits.sort((a, b) => a.seq - b.seq), upto, isCut: cursor !== null };
}
