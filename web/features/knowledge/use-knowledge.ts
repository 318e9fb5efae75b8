import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { AppError } from '../../../contract/errors.ts';
import type { KnowledgeList, KnowledgeSource } from '../../../contract/knowledge.ts';
import { serverText } from '../../i18n/text.ts';
import type { KnowledgeFrame, Live } from '../../live/live.ts';
import { useLiveConnection } from '../../live/use-live.ts';
import { leave, UndoableDeletions } from '../../state/undoable-deletions.ts';
import { notify } from '../../ui/toast.tsx';

const KEY = 'knowledge';

/** Everything, or what one agent can search; kept up to date. */
export function useKnowledge(agentId?: string) {
  const { client } = useLiveConnection();
  useFollowing();
  return useQuery({
    queryKey: [KEY, agentId ?? null],
    queryFn: () => client.call('listKnowledge', { query: agentId === undefined ? {} : { agent: agentId } }),
    staleTime: 0,
  });
}

export function useSource(sourceId: string) {
  const { client } = useLiveConnection();
  useFollowing();
  return useQuery({
    queryKey: [KEY, 'source', sourceId],
    queryFn: () => client.call('getKnowledge', { sourceId }),
    staleTime: 0,
    retry: false,
  });
}

/** What is told of a source that is shown takes its place at once; anything else is read again. */
function useFollowing(): void {
  const live = useLiveConnection();
  const queries = useQueryClient();
  useEffect(() => {
    const ends = [
      live.onKnowledge((frame) => take(queries, frame)),
      live.store.subscribe((state, before) => {
        if (state.connection === 'open' && before.connection !== 'open') readAgain(queries);
      }),
    ];
    return () => ends.forEach((end) => void end());
  }, [live, queries]);
}

function take(queries: QueryClient, frame: KnowledgeFrame): void {
  if (frame.type !== 'knowledge.changed') {
    readAgain(queries);
    return;
  }
  const { source } = frame;
  queries.setQueryData([KEY, 'source', source.id], source);
  for (const [key, list] of queries.getQueriesData<KnowledgeList>({ queryKey: [KEY], predicate: isList })) {
    const known = list?.sources.find(({ id }) => id === source.id);
    if (known && known.state === source.state && known.name === source.name && hasSameAgents(known, source))
      queries.setQueryData(key, put(list!, source));
    else void queries.invalidateQueries({ queryKey: key, exact: true });
  }
}

function isList({ queryKey }: { queryKey: readonly unknown[] }): boolean {
  return queryKey[1] !== 'source';
}

function hasSameAgents(one: KnowledgeSource, other: KnowledgeSource): boolean {
  return JSON.stringify(one.agents) === JSON.stringify(other.agents);
}

function put(list: KnowledgeList, source: KnowledgeSource): KnowledgeList {
  return { ...list, sources: list.sources.map((one) => (one.id === source.id ? source : one)) };
}

function readAgain(queries: QueryClient): void {
  void queries.invalidateQueries({ queryKey: [KEY] });
}

/** Does something to sources and reads them again; says what went wrong. */
export function useKnowledgeVerb(): (work: () => Promise<unknown>) => Promise<boolean> {
  const queries = useQueryClient();
  return async (work) => {
    try {
      await work();
      return true;
    } catch (error) {
      notify({ title: problemText(error as Error) });
      return false;
    } finally {
      await queries.invalidateQueries({ queryKey: [KEY] });
    }
  };
}

export function problemText(error: Error): string {
  return error instanceof AppError ? serverText(error.issues?.[0] ?? error.message, error.text) : error.message;
}

export const knowledgeDeletions = new UndoableDeletions();

/** Hides it now and deletes it when the time to undo it is over. Gives back how to undo it. */
export function deleteSourceSoon(live: Live, sourceId: string): () => boolean {
  const remove = (more: { keepalive?: true } = {}) => live.client.call('deleteKnowledge', { sourceId, ...more });
  const deletable = {
    id: sourceId,
    send: () => remove(),
    gone: async () => undefined,
    sendAndLeave: () => leave(remove({ keepalive: true })),
  };
  return knowledgeDeletions.add([deletable], (error) => notify({ title: problemText(error) }));
}
