import type { ParleyClient } from '../../../../client/parley-client.ts';
import { type Found, type Hit, NOTHING } from './hits.ts';
import { toQuery } from './phrase.ts';

const PAGE = 100;
const MOST_PAGES = 10;

/** Everything of a session in which the words of a phrase stand in their order, loaded here or not, from top to bottom. */
export async function searchSession(
  client: Pick<ParleyClient, 'call'>,
  sessionId: string,
  phrase: string,
  signal: AbortSignal,
): Promise<Found> {
  const q = toQuery(phrase);
  if (q === null) return NOTHING;
  const hits: Hit[] = [];
  let cursor: string | null | undefined;
  for (let page = 0; page < MOST_PAGES && cursor !== null; page++) {
    const found = await client.call('search', {
      query: { q, session: sessionId, limit: PAGE, ...(cursor && { cursor }) },
      signal,
    });
    hits.push(...found.hits.map(({ messageId, seq, count }) => ({ key: messageId, seq, places: count })));
    cursor = found.next;
  }
  return { hits: hits.sort((a, b) => a.seq - b.seq), isCut: cursor !== null };
}
