import { useQuery } from '@tanstack/react-query';
import { useDeferredValue } from 'react';
import { sessionTitle } from '../../i18n/session-title.ts';
import { useLiveConnection } from '../../live/use-live.ts';
import type { Entry } from './entries.ts';

const LEAST = 3;

/** Messages that hold the words, found by the server once there is enough to look for. */
export function useFoundMessages(query: string): Entry[] {
  const { client } = useLiveConnection();
  const wanted = useDeferredValue(query.trim());
  const { data } = useQuery({
    queryKey: ['palette-search', wanted],
    queryFn: () => client.search({ q: wanted, limit: 8 }),
    enabled: wanted.length >= LEAST,
    retry: false,
  });
  if (wanted.length < LEAST) return [];
  return (data?.hits ?? []).map(({ messageId, sessionId, snippet, matches, sessionTitle: title }) => ({
    kind: 'message',
    id: `message ${messageId}`,
    label: snippet,
    detail: sessionTitle(title),
    keywords: [],
    sessionId,
    messageId,
    matches,
  }));
}
