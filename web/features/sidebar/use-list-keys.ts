import { type KeyboardEvent, type MouseEvent, useRef } from 'react';
import { sessionTitle, text } from '../../i18n/text.ts';
import { newSession } from '../../state/new-session.ts';
import type { SessionDeps } from '../../state/session-deps.ts';
import {
  archive,
  moveTo,
  open,
  placePins,
  remove,
  restore,
  sectionsOf,
  sessionOf,
  setPinned,
} from '../../state/session-verbs.ts';
import { findLabel, type Intent, intentOf, Typeahead } from './list-keys.ts';
import { openMenu, pointAt, rename } from './list-state.ts';
import type { Row } from './rows.ts';
import { selectAll, selected, selectNone, selectTo, toggleSelected } from './selection.ts';
import { keepFocusInList, type Roving } from './use-roving.ts';
import { toggleFold, unfold } from './use-rows.ts';

const PAGE = 10;

/** Everything the pointer can do here, from the keyboard. */
export function useListKeys(rows: readonly Row[], roving: Roving, deps: SessionDeps) {
  const typeahead = useRef(new Typeahead());
  return (event: KeyboardEvent<HTMLElement>) => {
    const row = rows[roving.index];
    const target = event.target as HTMLElement;
    if (!row || target.getAttribute('role') !== 'treeitem') return;
    const intent = intentOf(event, typeahead.current.isTyping(event.timeStamp));
    if (!intent) return;
    if (intent.kind === 'unselect' && selected().size === 0) return;
    event.preventDefault();
    event.stopPropagation();
    if (intent.kind === 'type') {
      const word = typeahead.current.type(intent.letter, event.timeStamp);
      const found = findLabel(labels(rows, deps), roving.index, word);
      if (found !== null) roving.moveTo(found);
    } else if (!walk(intent, rows, roving)) act(intent, row, { rows, deps, target });
  };
}

/** Whether it was about where to be. */
function walk(intent: Intent, rows: readonly Row[], { index, moveTo }: Roving): boolean {
  switch (intent.kind) {
    case 'step': {
      const next = rows[index + intent.by];
      if (next && intent.selecting) selectTo(rows, next.key, rows[index]!.key);
      moveTo(index + intent.by);
      return true;
    }
    case 'page':
      moveTo(index + intent.by * PAGE);
      return true;
    case 'edge':
      moveTo(intent.at === 'first' ? 0 : rows.length - 1);
      return true;
    case 'in':
      enter(rows, index, moveTo);
      return true;
    case 'out':
      exit(rows, index, moveTo);
      return true;
    default:
      return false;
  }
}

function enter(rows: readonly Row[], index: number, moveTo: Roving['moveTo']): void {
  const row = rows[index]!;
  if (!('open' in row)) return;
  if (row.open) moveTo(index + 1);
  else unfold(row.key, true);
}

function exit(rows: readonly Row[], index: number, moveTo: Roving['moveTo']): void {
  const row = rows[index]!;
  if ('open' in row && row.open) {
    unfold(row.key, false);
    return;
  }
  const parent = rows.findIndex(({ key }) => key === row.parent);
  if (parent >= 0) moveTo(parent);
}

interface Scene {
  rows: readonly Row[];
  deps: SessionDeps;
  target: HTMLElement;
}

function act(intent: Intent, row: Row, scene: Scene): void {
  if (intent.kind === 'selectAll') selectAll(scene.rows);
  else if (intent.kind === 'unselect') selectNone();
  else if (intent.kind === 'new') void newSession(scene.deps.live, scene.deps.navigate);
  else if (row.kind !== 'session') actOnGroup(intent, row, scene);
  else if (!actOnOne(intent, row.id, scene)) actOnMany(intent, row.id, scene);
}

function actOnGroup({ kind }: Intent, row: Row, { deps }: Scene): void {
  if (kind !== 'open' && kind !== 'select') return;
  if (row.kind === 'more') loadMore(deps, row.section);
  else if (row.kind !== 'hint') toggleFold(row.key);
}

/** Whether it was about this row alone. */
function actOnOne(intent: Intent, id: string, { deps, target }: Scene): boolean {
  switch (intent.kind) {
    case 'open':
      open(deps, id);
      return true;
    case 'rename':
      rename(id);
      return true;
    case 'select':
      toggleSelected(id);
      return true;
    case 'menu':
      openMenu(id, target);
      return true;
    case 'shift':
      void shift(deps, id, intent.by);
      return true;
    default:
      return false;
  }
}

function actOnMany({ kind }: Intent, id: string, { deps }: Scene): void {
  const session = sessionOf(deps, id);
  const ids = targets(deps, id);
  keepFocusInList();
  if (kind === 'pin') void setPinned(deps, ids, session?.pinnedAt === null);
  if (kind === 'archive') void (session?.archivedAt === null ? archive(deps, ids) : restore(deps, ids));
  if (kind === 'delete') remove(deps, ids);
  selectNone();
}

/** What is selected; else the row itself. Afterwards nothing is. */
function targets(deps: SessionDeps, id: string): string[] {
  const chosen = [...selected()].filter((other) => sessionOf(deps, other));
  return chosen.length > 0 ? chosen : [id];
}

function labels(rows: readonly Row[], deps: SessionDeps): string[] {
  return rows.map((row) => {
    if (row.kind === 'session') return sessionTitle(sessionOf(deps, row.id)?.title);
    if (row.kind === 'folder') return row.name;
    if (row.kind === 'day') return text(`sidebar.day.${row.day}`);
    return row.kind === 'section' ? text(`sidebar.section.${row.section}`) : '';
  });
}

/** A pin moves among the pins; another session moves to the folder above or below. */
async function shift(deps: SessionDeps, id: string, by: 1 | -1): Promise<void> {
  const { pinned, folders } = sectionsOf(deps);
  const at = pinned.indexOf(id);
  if (at >= 0) {
    const next = at + by;
    if (next >= 0 && next < pinned.length) await placePins(deps, [id], by === 1 ? next + 1 : next);
    return;
  }
  const places = [...folders.map(({ name }): string | null => name), null];
  const place = places.indexOf(sessionOf(deps, id)?.folder ?? null) + by;
  if (place >= 0 && place < places.length) await moveTo(deps, [id], places[place]!);
}

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
