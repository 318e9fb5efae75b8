import type { LiveState } from '../live/live-state.ts';
import { useLive } from '../live/use-live.ts';
import { useHidden } from './deletions.ts';
import { countNeeds } from './needs.ts';

/** How many sessions go no further without the person. */
export function useNeedsYou(): number {
  const hidden = useHidden();
  return useLive((state) => counted(state, hidden));
}

let last: { sessions: unknown; actions: unknown; hidden: unknown; count: number } | null = null;

/** Asked with every token that arrives anywhere: counted anew only when something has changed. */
function counted({ sessions, actions }: LiveState, hidden: ReadonlySet<string>): number {
  if (last?.sessions !== sessions || last.actions !== actions || last.hidden !== hidden) {
    last = { sessions, actions, hidden, count: countNeeds(sessions, actions, hidden) };
  }
  return last.count;
}
