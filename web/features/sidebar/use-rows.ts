import { useMemo } from 'react';
import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import { useNow } from '../../i18n/formats.ts';
import type { LiveState } from '../../live/live-state.ts';
import { useAgents } from '../../live/use-agents.ts';
import { useLive } from '../../live/use-live.ts';
import { recall, remember } from '../../state/device-memory.ts';
import { type Listed, toSections } from '../../state/order.ts';
import { useHidden } from '../../state/undoable-deletions.ts';
import { keepRows, type Row, sectionKey, toMatcher, toRows } from './rows.ts';

/** The list as it is shown. It changes when a session moves, never because an agent speaks. */
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

const KEY = 'parley.sidebar.open';

/** What was opened or folded on this device, by row; everything else is as it comes. */
type Folding = Readonly<Record<string, boolean>>;

const folding = createStore<Folding>()(() => recall(KEY, {}));

function useFolding(): Folding {
  return useStore(folding);
}

const FOLDED: readonly string[] = [sectionKey('delegated'), sectionKey('archived')];

function isUnfolded(state: Folding, key: string): boolean {
  return state[key] ?? !FOLDED.includes(key);
}

export function unfold(key: string, open: boolean): void {
  folding.setState({ [key]: open });
  remember(KEY, folding.getState());
}

export function toggleFold(key: string): void {
  unfold(key, !isUnfolded(folding.getState(), key));
}
