import { Link } from '@tanstack/react-router';
import { ChevronDown, Import, ListFilter, Plus, X } from 'lucide-react';
import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { useText } from '../../i18n/text.ts';
import { useAgents } from '../../live/use-agents.ts';
import { useLive, useLiveConnection } from '../../live/use-live.ts';
import { newSession } from '../../state/new-session.ts';
import { showOverlay } from '../../state/open-dialogs.ts';
import { closeOverlays } from '../../state/panes.ts';
import { type SessionDeps, useSessionDeps } from '../../state/session-deps.ts';
import { useSlots } from '../../state/slots.tsx';
import { useReadAhead } from '../../state/templates.ts';
import { AgentTile } from '../../ui/agent-tile.tsx';
import { Button, IconButton } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { lazyPart } from '../../ui/lazy-part.tsx';
import { loadMenus, Menu, MenuItem } from '../../ui/menu.tsx';
import { useListState } from './list-state.ts';
import type { Row } from './rows.ts';
import { useSelection } from './selection.ts';
import { SessionList } from './session-list.tsx';
import { focusList, TREE_ID } from './use-roving.ts';
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

const ENOUGH = 40;
const PAUSE_MS = 150;

/** A filter covers all sessions: page after page is read until enough match. Returns whether there is more. */
function useLookFurther(query: string, found: number): boolean {
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

function NoSessions({ deps }: { deps: SessionDeps }) {
  const text = useText();
  return (
    <EmptyState
      title={text('sidebar.none')}
      action={
        <Button look="primary" className="mt-1" onClick={() => void newSession(deps.live, deps.navigate)}>
          <Plus size={14} />
          {text('sidebar.begin')}
        </Button>
      }
    >
      {text('sidebar.noneHint')}
    </EmptyState>
  );
}

/** Filtering looks at titles and names; what was said is found elsewhere. */
function NothingFound({ query, isLooking }: { query: string; isLooking: boolean }) {
  const text = useText();
  if (isLooking) return <p className="px-4 py-3 text-fg-3">{text('sidebar.looking')}</p>;
  return (
    <EmptyState
      title={text('sidebar.notFound', { query })}
      action={
        <Link
          to="/search"
          search={{ q: query }}
          onClick={closeOverlays}
          className="mt-1 inline-flex h-7 items-center rounded-md border border-line bg-surface px-2.5 hover:bg-hover"
        >
          {text('sidebar.searchMessages')}
        </Link>
      }
    >
      {text('sidebar.notFoundHint')}
    </EmptyState>
  );
}

interface Props {
  query: string;
  onQuery(query: string): void;
  /** How many sessions are shown, told to those who do not see them. */
  found: number;
}

function FilterBox({ query, onQuery, found }: Props) {
  const text = useText();
  const field = useRef<HTMLInputElement>(null);
  const clear = () => {
    onQuery('');
    field.current?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'ArrowDown') {
      event.preventDefault();
      focusList();
    }
    if (event.key !== 'Escape' || query === '') return;
    event.preventDefault();
    event.stopPropagation();
    clear();
  };
  return (
    <search className="relative flex-none border-b border-line px-2 py-2">
      <ListFilter size={14} aria-hidden="true" className="absolute top-4 touch:top-5.5 left-4.5 text-fg-3" />
      <input
        ref={field}
        type="search"
        value={query}
        onChange={(event) => onQuery(event.target.value)}
        onKeyDown={onKeyDown}
        aria-label={text('sidebar.filter')}
        aria-controls={found > 0 ? TREE_ID : undefined}
        placeholder={text('sidebar.filter')}
        className="h-8 w-full touch:h-11 rounded-md border border-line bg-bg pr-8 pl-8 placeholder:text-fg-3 [&::-webkit-search-cancel-button]:hidden"
      />
      {query !== '' && (
        <IconButton
          label={text('sidebar.filterClear')}
          className="absolute top-3 right-3 size-6 touch:top-2 touch:right-2"
          onClick={clear}
        >
          <X size={13} />
        </IconButton>
      )}
      <span role="status" className="sr-only">
        {query === '' ? '' : text('sidebar.found', { count: found })}
      </span>
    </search>
  );
}

/** With the agent used last, or with one that is chosen. */
function NewSessionBar({ deps }: { deps: SessionDeps }) {
  const text = useText();
  const readAhead = useReadAhead();
  const { TeamItems, TemplateItems } = useSlots();
  return (
    <div className="flex flex-none px-2 pt-2">
      <Button className="h-8 flex-1 rounded-r-none" onClick={() => void newSession(deps.live, deps.navigate)}>
        <Plus size={14} />
        {text('sidebar.new')}
        <kbd className="rounded-sm border border-line px-1 font-mono text-2xs text-fg-3 pointer-coarse:hidden">C</kbd>
      </Button>
      <Menu
        trigger={
          <IconButton
            label={text('sidebar.newWith')}
            onPointerEnter={readAhead}
            onFocus={readAhead}
            className="h-8 w-8 rounded-l-none border border-l-0 border-line bg-surface"
          >
            <ChevronDown size={14} />
          </IconButton>
        }
      >
        <Agents deps={deps} />
        <TeamItems live={deps.live} navigate={deps.navigate} />
        <TemplateItems live={deps.live} navigate={deps.navigate} />
        <MenuItem icon={<Import size={14} />} onSelect={() => showOverlay('import')}>
          {text('imports.menu')}
        </MenuItem>
      </Menu>
    </div>
  );
}

function Agents({ deps }: { deps: SessionDeps }) {
  const text = useText();
  const agents = useAgents().filter(({ uiVisible }) => uiVisible);
  if (agents.length === 0) {
    return (
      <Link to="/agents/new" onClick={closeOverlays} className="block rounded-md px-2 py-1.5 text-link hover:bg-hover">
        {text('sidebar.firstAgent')}
      </Link>
    );
  }
  return agents.map((agent) => (
    <MenuItem
      key={agent.agentId}
      icon={<AgentTile agentId={agent.agentId} agent={agent} size={16} />}
      disabled={!agent.available}
      onSelect={() => void newSession(deps.live, deps.navigate, agent.agentId)}
    >
      {agent.available ? agent.displayName : text('sidebar.unavailable', { name: agent.displayName })}
    </MenuItem>
  ));
}
