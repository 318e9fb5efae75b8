import { useEffect } from 'react';
import { useLive, useLiveConnection } from '../../live/use-live.ts';

const ENOUGH = 40;
const PAUSE_MS = 150;

/** Somebody who filters looks through everything: page after page is read until enough is found. Whether it goes on. */
export function useLookFurther(query: string, found: number): boolean {
  const live = useLiveConnection();
  const nextPage = useLive((state) => state.nextPage);
  const nextArchived = useLive((state) => state.nextArchived);
  const isListed = useLive((state) => state.isListed);
  const isLooking = isListed && query.trim() !== '' && found < ENOUGH && (nextPage !== null || nextArchived !== null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: every page leads to the next
  useEffect(() => {
    if (!isLooking) return;
    const read = () => (nextPage !== null ? live.loadMoreSessions() : live.loadArchived());
    const timer = setTimeout(() => void read().catch(() => undefined), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [live, isLooking, query, nextPage, nextArchived]);
  return isLooking;
}
