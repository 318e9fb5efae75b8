import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query';
import { AppError } from '../../../contract/errors.ts';
import type { Share, ShareList } from '../../../contract/shares.ts';
import { useLiveConnection } from '../../live/use-live.ts';
import { finishDeletions } from '../../state/message-deletions.ts';

const MOST = 500;

/** The links of one session, or all of them; newest first. */
export function useShares(session?: string) {
  const { client } = useLiveConnection();
  return useQuery({
    queryKey: keyOf(session),
    queryFn: () => client.call('listShares', { query: { session, limit: MOST } }),
    staleTime: 0,
  });
}

/** Makes a link; it is in the list when this comes back. */
export function useCreateShare(session: string): (toolDetails: boolean) => Promise<Share> {
  const live = useLiveConnection();
  const queries = useQueryClient();
  return async (toolDetails) => {
    await finishDeletions(live, session);
    const share = await live.client.call('createShare', { sessionId: session, body: { toolDetails } });
    change(queries, session, (shares) => [share, ...shares.filter(({ id }) => id !== share.id)]);
    return share;
  };
}

/** Comes back once the server has confirmed that the link leads nowhere; rejects when that is unknown. */
export function useRevoke({ id, sessionId }: Share): () => Promise<void> {
  const { client } = useLiveConnection();
  const queries = useQueryClient();
  return async () => {
    await client.call('revokeShare', { shareId: id }).catch((error: unknown) => {
      // It was revoked already: the link leads nowhere either way.
      if (!(error instanceof AppError && error.code === 'share_not_found')) throw error;
    });
    change(queries, sessionId, (shares) => shares.filter((share) => share.id !== id));
  };
}

/** At once in both lists, then as the server has it. */
function change(queries: QueryClient, session: string, next: (shares: Share[]) => Share[]): void {
  for (const key of [keyOf(session), keyOf()])
    queries.setQueryData<ShareList>(key, (list) => list && { ...list, shares: next(list.shares) });
  void queries.invalidateQueries({ queryKey: keyOf().slice(0, 1) });
}

function keyOf(session?: string): readonly (string | null)[] {
  return ['shares', session ?? null];
}
