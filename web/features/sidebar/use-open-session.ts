import { useRouterState } from '@tanstack/react-router';
import { currentIn } from '../../state/session-deps.ts';

/** The session that is open, if one is. */
export function useOpenSession(): string | null {
  return useRouterState({ select: (state) => currentIn(state.matches) });
}
