import { draggable, dropTargetForElements } from '@atlaskit/pragmatic-drag-and-drop/element/adapter';
import type { SessionDeps } from '../../state/session-deps.ts';
import { archive, moveTo, placePins, restore, sessionOf, setPinned } from '../../state/session-verbs.ts';
import { type DropPlace, placeOf, type Row } from './rows.ts';
import { selected, selectNone } from './selection.ts';

export type Over = 'on' | 'above' | 'below';

/** What is selected is carried together. */
export function dragSource(element: HTMLElement, id: string): () => void {
  return draggable({
    element,
    getInitialData: () => ({ sessionIds: selected().has(id) ? [...selected()] : [id] }),
  });
}

export function dropPlace(
  element: HTMLElement,
  row: Row,
  deps: SessionDeps,
  onOver: (over: Over | null) => void,
): () => void {
  const place = placeOf(row);
  if (!place) return () => undefined;
  const overAt = (clientY: number): Over => {
    if (place.kind !== 'pin' || row.kind !== 'session') return 'on';
    const { top, height } = element.getBoundingClientRect();
    return clientY < top + height / 2 ? 'above' : 'below';
  };
  return dropTargetForElements({
    element,
    canDrop: ({ source }) => Array.isArray(source.data.sessionIds) && !source.data.sessionIds.includes(row.key),
    onDragEnter: ({ location }) => onOver(overAt(location.current.input.clientY)),
    onDrag: ({ location }) => onOver(overAt(location.current.input.clientY)),
    onDragLeave: () => onOver(null),
    onDrop: ({ source, location }) => {
      onOver(null);
      void drop(deps, source.data.sessionIds as string[], place, overAt(location.current.input.clientY));
      selectNone();
    },
  });
}

async function drop(deps: SessionDeps, ids: readonly string[], place: DropPlace, over: Over): Promise<void> {
  const isArchived = ids.filter((id) => sessionOf(deps, id)?.archivedAt !== null);
  if (place.kind === 'archive') return archive(deps, ids);
  if (isArchived.length > 0) await restore(deps, isArchived);
  if (place.kind === 'pin') return placePins(deps, ids, over === 'below' ? place.index + 1 : place.index);
  const pinned = ids.filter((id) => sessionOf(deps, id)?.pinnedAt !== null);
  if (pinned.length > 0) await setPinned(deps, pinned, false);
  const elsewhere = ids.filter((id) => sessionOf(deps, id)?.folder !== place.name);
  if (elsewhere.length > 0) await moveTo(deps, elsewhere, place.name);
}
