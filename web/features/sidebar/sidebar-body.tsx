import { useEffect, useState } from 'react';
import { useText } from '../../i18n/text.ts';
import { useLive, useLiveConnection } from '../../live/use-live.ts';
import { type SessionDeps, useSessionDeps } from '../../state/session-deps.ts';
import { lazyPart } from '../../ui/lazy-part.tsx';
import { loadMenus } from '../../ui/menu.tsx';
import { FilterBox } from './filter-box.tsx';
import { useListState } from './list-state.ts';
import { NewSessionBar } from './new-session-bar.tsx';
import { NoSessions, NothingFound } from './nothing.tsx';
import type { Row } from './rows.ts';
import { useSelection } from './selection.ts';
import { SessionList } from './session-list.tsx';
import { useLookFurther } from './use-look-further.ts';
import { useRows } from './use-rows.ts';

/** Not part of the first view. */
const BulkBar = lazyPart(async () => (await import('./bulk-bar.tsx')).BulkBar);
const RowMenu = lazyPart(async () => {
  const [{ RowMenu: Loaded }] = await Promise.all([import('./row-menu.tsx'), loadMenus()]);
  return Loaded;
});

/** Whether the menu of a row has been opened: it is loaded then, and stays. */
function useHasMenu(): boolean {
  const isOpen = useListState(({ menu }) => menu !== null);
  const [hasMenu, setHasMenu] = useState(false);
  if (isOpen && !hasMenu) setHasMenu(true);
  return hasMenu;
}

export function SidebarBody() {
  const deps = useSessionDeps();
  const [query, setQuery] = useState('');
  const rows = useRows(query);
  const found = rows.filter(({ kind }) => kind === 'session').length;
  const hasMenu = useHasMenu();
  const hasSelection = useSelection().size > 0;
  return (
    <>
      <NewSessionBar deps={deps} />
      <FilterBox query={query} onQuery={setQuery} found={found} />
      <Listing rows={rows} found={found} query={query.trim()} deps={deps} />
      {hasSelection && <BulkBar deps={deps} />}
      {hasMenu && <RowMenu deps={deps} />}
    </>
  );
}

interface ListingProps {
  rows: readonly Row[];
  found: number;
  query: string;
  deps: SessionDeps;
}

function Listing({ rows, found, query, deps }: ListingProps) {
  const text = useText();
  const isListed = useLive((state) => state.isListed);
  const isEmpty = useIsEmpty();
  const isLooking = useLookFurther(query, found);
  if (!isListed) return <p className="flex-1 px-4 py-3 text-fg-3">{text('app.loading')}</p>;
  if (query === '' && isEmpty) return <NoSessions deps={deps} />;
  if (query !== '' && rows.length === 0) return <NothingFound query={query} isLooking={isLooking} />;
  return <SessionList rows={rows} deps={deps} />;
}

/** Where nothing else is, there may still be something in the archive. */
function useIsEmpty(): boolean {
  const live = useLiveConnection();
  const isEmpty = useLive((state) => state.isListed && state.sessions.size === 0);
  const isAsked = useLive((state) => state.nextArchived !== undefined);
  useEffect(() => {
    if (isEmpty && !isAsked) void live.loadArchived().catch(() => undefined);
  }, [live, isEmpty, isAsked]);
  return isEmpty;
}
