import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { ArtifactKind, ArtifactSummary } from '../../contract/artifacts.ts';
import { useLiveConnection } from '../live/use-live.ts';

const PAGE = 500;
const SETTLE_MS = 300;

interface Wanted {
  kind?: ArtifactKind | undefined;
  isDeleted?: boolean;
}

/** Lists, notes, views and files, most recently changed first; read again when one of them changes. */
export function useArtifacts({ kind, isDeleted = false }: Wanted = {}) {
  const { client } = useLiveConnection();
  useRereading('artifacts');
  return useQuery({
    queryKey: ['artifacts', kind, isDeleted],
    queryFn: async (): Promise<readonly ArtifactSummary[]> => {
      const query = { limit: PAGE, ...(kind && { kind }), ...(isDeleted && { deleted: true }) };
      const all: ArtifactSummary[] = [];
      for (let before: string | null | undefined; before !== null; ) {
        const page = await client.call('listArtifacts', { query: { ...query, ...(before && { before }) } });
        all.push(...page.artifacts);
        before = page.next;
      }
      return all;
    },
    staleTime: 0,
  });
}

/** Asks again for what was read under a key whenever something of the kind changes, a moment later. */
export function useRereading(key: string): void {
  const live = useLiveConnection();
  const queries = useQueryClient();
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const soon = () => {
      timer ??= setTimeout(() => {
        timer = undefined;
        void queries.invalidateQueries({ queryKey: [key] });
      }, SETTLE_MS);
    };
    const ends = [
      live.onArtifact(soon),
      live.store.subscribe((state, before) => {
        if (state.connection === 'open' && before.connection !== 'open') soon();
      }),
    ];
    return () => {
      clearTimeout(timer);
      for (const end of ends) end();
    };
  }, [live, queries, key]);
}
