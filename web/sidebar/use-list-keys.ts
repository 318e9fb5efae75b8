import { type KeyboardEvent, useRef } from 'react';
import { sessionTitle } from '../i18n/session-title.ts';
import { text } from '../i18n/text.ts';
import { toggleFold, unfold } from './folding.ts';
import { type Intent, intentOf } from './list-keys.ts';
import { openMenu, rename } from './list-state.ts';
import { newSession } from './new-session.ts';
import type { Row } from './rows.ts';
import { selectAll, selected, selectNone, selectTo, toggleSelected } from './selection.ts';
import { shift } from './shift.ts';
import { findLabel, Typeahead } from './typeahead.ts';
import { loadMore } from './use-list-clicks.ts';
import { holdKeyboard, type Roving } from './use-roving.ts';
import { archive, open, remove, restore, sessionOf, setPinned } from './verbs.ts';
import type { World } from './world.ts';

const PAGE = 10;

/** Everything the pointer can do here, from the keyboard. */
export function useListKeys(rows: readonly Row[], roving: Roving, world: World) {
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
      const found = findLabel(labels(rows, world), roving.index, word);
      if (found !== null) roving.moveTo(found);
    } else if (!walk(intent, rows, roving)) act(intent, row, { rows, world, target });
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
  world: World;
  target: HTMLElement;
}

function act(intent: Intent, row: Row, scene: Scene): void {
  if (intent.kind === 'selectAll') selectAll(scene.rows);
  else if (intent.kind === 'unselect') selectNone();
  else if (intent.kind === 'new') void newSession(scene.world.live, scene.world.navigate);
  else if (row.kind !== 'session') actOnGroup(intent, row, scene);
  else if (!actOnOne(intent, row.id, scene)) actOnMany(intent, row.id, scene);
}

function actOnGroup({ kind }: Intent, row: Row, { world }: Scene): void {
  if (kind !== 'open' && kind !== 'select') return;
  if (row.kind === 'more') loadMore(world, row.section);
  else if (row.kind !== 'hint') toggleFold(row.key);
}

/** Whether it was about this row alone. */
function actOnOne(intent: Intent, id: string, { world, target }: Scene): boolean {
  switch (intent.kind) {
    case 'open':
      open(world, id);
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
      void shift(world, id, intent.by);
      return true;
    default:
      return false;
  }
}

function actOnMany({ kind }: Intent, id: string, { world }: Scene): void {
  const session = sessionOf(world, id);
  const ids = targets(world, id);
  holdKeyboard();
  if (kind === 'pin') void setPinned(world, ids, session?.pinnedAt === null);
  if (kind === 'archive') void (session?.archivedAt === null ? archive(world, ids) : restore(world, ids));
  if (kind === 'delete') remove(world, ids);
  selectNone();
}

/** What is selected; else the row itself. Afterwards nothing is. */
function targets(world: World, id: string): string[] {
  const chosen = [...selected()].filter((other) => sessionOf(world, other));
  return chosen.length > 0 ? chosen : [id];
}

function labels(rows: readonly Row[], world: World): string[] {
  return rows.map((row) => {
    if (row.kind === 'session') return sessionTitle(sessionOf(world, row.id)?.title);
    if (row.kind === 'folder') return row.name;
    if (row.kind === 'day') return text(`sidebar.day.${row.day}`);
    return row.kind === 'section' ? text(`sidebar.section.${row.section}`) : '';
  });
}
