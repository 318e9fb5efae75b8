import type { Session } from '../../contract/sessions.ts';
import type { LiveState } from '../live/live-state.ts';
import { useLive } from '../live/use-live.ts';
import { countWorking, sessionsInNeed } from './needs.ts';
import { hiddenSessions, useHidden } from './undoable-deletions.ts';

/** How many sessions go no further without the person. */
export function useNeedsYou(): number {
  return useInNeed().length;
}

/** Those sessions, the most urgent first. */
export function useInNeed(): readonly Session[] {
  const hidden = useHidden();
  return useLive((state) => inNeed(state, hidden));
}

let last: { sessions: unknown; actions: unknown; hidden: unknown; found: readonly Session[] } | null = null;

/** Asked with every token that arrives anywhere: made anew only when something has changed. */
export function inNeed({ sessions, actions }: LiveState, hidden = hiddenSessions()): readonly Session[] {
  if (last?.sessions !== sessions || last.actions !== actions || last.hidden !== hidden) {
    last = { sessions, actions, hidden, found: sessionsInNeed(sessions, actions, hidden) };
  }
  return last.found;
}

let lastWorking: { sessions: unknown; hidden: unknown; count: number } | null = null;

/** How many sessions an agent works in right now. */
export function useWorking(): number {
  const hidden = useHidden();
  return useLive(({ sessions }) => {
    if (lastWorking?.sessions !== sessions || lastWorking.hidden !== hidden) {
      lastWorking = { sessions, hidden, count: countWorking(sessions, hidden) };
    }
    return lastWorking.count;
  });
}
