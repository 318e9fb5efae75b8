import { dropTargetForElements } from '@atlaskit/pragmatic-drag-and-drop/element/adapter';
import { type RefObject, useEffect } from 'react';
import { ListVerbs } from '../../../artifacts/list-verbs.ts';
import { liveListOf } from '../../../artifacts/live-list.ts';
import { useLiveConnection } from '../../../live/use-live.ts';

/** What is dragged: items of a list. */
export interface DraggedItems {
  readonly listId: string;
  readonly itemIds: readonly string[];
}

export function draggedItems(data: Record<string | symbol, unknown>): DraggedItems | null {
  const { listId, itemIds } = data;
  return typeof listId === 'string' && Array.isArray(itemIds) ? { listId, itemIds: itemIds as string[] } : null;
}

/** Items that are dropped on a row go before or after it, at the end of the list elsewhere; also those of another list. */
export function useListDrop(grid: RefObject<HTMLElement | null>, listId: string, verbs: ListVerbs): void {
  const live = useLiveConnection();
  useEffect(() => {
    const element = grid.current!;
    const mark = (clientY: number | null) => showMark(element, clientY);
    return dropTargetForElements({
      element,
      canDrop: ({ source }) => draggedItems(source.data) !== null,
      onDrag: ({ location }) => mark(location.current.input.clientY),
      onDragLeave: () => mark(null),
      onDrop: ({ source, location }) => {
        const place = placeAt(element, location.current.input.clientY);
        mark(null);
        const dragged = draggedItems(source.data)!;
        if (dragged.listId === listId) return void verbs.move(dragged.itemIds, place);
        const from = new ListVerbs(live, liveListOf(live, dragged.listId));
        void from.move(dragged.itemIds, { ...place, toListId: listId });
      },
    });
  }, [grid, listId, verbs, live]);
}

function rowAt(element: HTMLElement, clientY: number): { row: HTMLElement; isBefore: boolean } | null {
  for (const row of element.querySelectorAll<HTMLElement>('[data-item]')) {
    const { top, bottom } = row.getBoundingClientRect();
    if (clientY >= top && clientY < bottom) return { row, isBefore: clientY < (top + bottom) / 2 };
  }
  return null;
}

function placeAt(element: HTMLElement, clientY: number): { before?: string; after?: string } {
  const found = rowAt(element, clientY);
  const id = found?.row.dataset.item;
  if (!found || id === undefined) return {};
  return found.isBefore ? { before: id } : { after: id };
}

/** A line where the items would go. */
function showMark(element: HTMLElement, clientY: number | null): void {
  for (const row of element.querySelectorAll<HTMLElement>('[data-drop]')) delete row.dataset.drop;
  const found = clientY === null ? null : rowAt(element, clientY);
  if (found) found.row.dataset.drop = found.isBefore ? 'before' : 'after';
}
