import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { Live } from '../../live/live.ts';
import { useLiveConnection } from '../../live/use-live.ts';
import { finishDeletions } from '../../state/message-deletions.ts';
import { Loaded } from '../../ui/page.tsx';
import { type Draft, draftFrom } from './draft.ts';

/** Reads how a session began, for a template that begins like it. */
export function ReadSession({ sessionId, onRead }: { sessionId: string; onRead(draft: Draft): void }) {
  const live = useLiveConnection();
  const query = useQuery({
    queryKey: ['template-from', sessionId],
    queryFn: () => read(live, sessionId),
    gcTime: 0,
  });
  const { data } = query;
  // biome-ignore lint/correctness/useExhaustiveDependencies: once it is read, whoever is told
  useEffect(() => {
    if (data) onRead(data);
  }, [data]);
  return <Loaded query={query}>{() => null}</Loaded>;
}

async function read(live: Live, sessionId: string): Promise<Draft> {
  await finishDeletions(live, sessionId);
  const { client } = live;
  const [session, { messages }, { templates }] = await Promise.all([
    client.getSession(sessionId),
    client.listMessages(sessionId, { after: 0, limit: 1 }),
    client.listSessionTemplates(),
  ]);
  const [first] = messages;
  const words = first?.role === 'user' && first.agent === null ? first.text : '';
  const taken = templates.map(({ name }) => name);
  return draftFrom(session, words, taken);
}
