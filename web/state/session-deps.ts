import { useRouter } from '@tanstack/react-router';
import { useMemo } from 'react';
import type { Live } from '../live/live.ts';
import { useLiveConnection } from '../live/use-live.ts';
import type { Navigate } from './new-session.ts';

/** What is needed to change something about sessions. */
export interface SessionDeps {
  live: Live;
  navigate: Navigate;
  /** The session that is open, if one is. */
  current(): string | null;
}

export function useSessionDeps(): SessionDeps {
  const live = useLiveConnection();
  const router = useRouter();
  return useMemo(
    () => ({
      live,
      navigate: (place) => router.navigate(place),
      current: () => currentIn(router.state.matches),
    }),
    [live, router],
  );
}

export function currentIn(matches: readonly { routeId: string; params: object }[]): string | null {
  const match = matches.find(({ routeId }) => routeId === '/sessions/$sessionId');
  return match && 'sessionId' in match.params ? String(match.params.sessionId) : null;
}
