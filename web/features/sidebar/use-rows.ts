import { useMemo } from 'react';
import { useNow } from '../../i18n/time.ts';
import type { LiveState } from '../../live/live-state.ts';
import { useAgents } from '../../live/use-agents.ts';
import { useLive } from '../../live/use-live.ts';
import { type Listed, toSections } from '../../state/order.ts';
import { useHidden } from '../../state/session-deletions.ts';
import { toMatcher } from './filter.ts';
import { isUnfolded, useFolding } from './folding.ts';
import { keepRows, type Row, toRows } from './rows.ts';

/** The list as it is shown. It changes when something moves, never because somebody speaks. */
export function useRows(query: string): readonly Row[] {
  const agents = useAgents();
  const hidden = useHidden();
  const folding = useFolding();
  const today = new Date(useNow()).setHours(0, 0, 0, 0);
  const select = useMemo(() => {
    const names = new Map(agents.map(({ agentId, displayName }) => [agentId, displayName]));
    const matches = toMatcher(query, names);
    return rowsOf({ hidden, matches, now: today }, (key) => isUnfolded(folding, key));
  }, [agents, hidden, folding, query, today]);
  return useLive(select);
}

type Shown = Pick<LiveState, 'sessions' | 'actions' | 'nextPage' | 'nextArchived'>;

function rowsOf(
  { hidden, matches, now }: Required<Pick<Listed, 'hidden' | 'now'>> & Pick<Listed, 'matches'>,
  isOpen: (key: string) => boolean,
): (state: LiveState) => readonly Row[] {
  let from: Shown | null = null;
  let rows: readonly Row[] = [];
  return (state) => {
    if (from && isUnchanged(from, state)) return rows;
    from = state;
    const unfolding = {
      isOpen,
      moreLive: state.nextPage !== null,
      moreArchived: state.nextArchived != null,
      archivedAsked: state.nextArchived !== undefined,
      filtering: matches !== undefined,
    };
    rows = keepRows(rows, toRows(toSections({ ...state, hidden, matches, now }), unfolding));
    return rows;
  };
}

function isUnchanged(before: Shown, now: Shown): boolean {
  return (
    before.sessions === now.sessions &&
    before.actions === now.actions &&
    before.nextPage === now.nextPage &&
    before.nextArchived === now.nextArchived
  );
}
