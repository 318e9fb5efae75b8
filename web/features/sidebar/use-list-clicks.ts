import type { MouseEvent } from 'react';
import type { SessionDeps } from '../../state/session-deps.ts';
import { open } from '../../state/session-verbs.ts';
import { toggleFold } from './folding.ts';
import { openMenu, pointAt } from './list-state.ts';
import type { Row } from './rows.ts';
import { selectNone, selectTo } from './selection.ts';
import type { Roving } from './use-roving.ts';

/** One place for what a pointer does, so that rows need not know of each other. */
export function useListClicks(rows: readonly Row[], roving: Roving, deps: SessionDeps) {
  const rowAt = ({ target }: MouseEvent): Row | undefined => {
    const key = (target as Element).closest<HTMLElement>('[data-key]')?.dataset.key;
    return rows.find((row) => row.key === key);
  };
  return {
    onClick: (event: MouseEvent) => {
      const row = rowAt(event);
      if (!row || event.defaultPrevented || isForBrowser(event, row)) return;
      event.preventDefault();
      if ('open' in row) toggleFold(row.key);
      if (row.kind === 'more') loadMore(deps, row.section);
      if (row.kind === 'session') choose(event, row.id, rows, roving, deps);
    },
    onContextMenu: (event: MouseEvent) => {
      const row = rowAt(event);
      if (row?.kind !== 'session' || event.defaultPrevented) return;
      event.preventDefault();
      openMenu(row.id, pointAt(event.clientX, event.clientY));
    },
    /** A range of rows is no range of text. */
    onMouseDown: (event: MouseEvent) => {
      if (event.shiftKey && rowAt(event)) event.preventDefault();
    },
  };
}

/** With Ctrl or ⌘ a session's link opens in another tab. */
function isForBrowser({ ctrlKey, metaKey }: MouseEvent, row: Row): boolean {
  return row.kind === 'session' && (ctrlKey || metaKey);
}

export function loadMore({ live }: SessionDeps, section: 'live' | 'archived'): void {
  const loading = section === 'live' ? live.loadMoreSessions() : live.loadArchived();
  // The row stays; it is tried again when it is pressed.
  void loading.catch(() => undefined);
}

function choose(event: MouseEvent, id: string, rows: readonly Row[], roving: Roving, deps: SessionDeps): void {
  const from = rows[roving.index]?.key ?? null;
  if (event.shiftKey) selectTo(rows, id, from);
  else {
    selectNone();
    open(deps, id);
  }
}
