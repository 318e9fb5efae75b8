import { draggable } from '@atlaskit/pragmatic-drag-and-drop/element/adapter';
import { type RefObject, useEffect } from 'react';

/** A tab can be dragged to another place. */
export function useTabDrag(tab: RefObject<HTMLElement | null>, panelId: string): void {
  useEffect(() => draggable({ element: tab.current!, getInitialData: () => ({ panelId }) }), [tab, panelId]);
}
