import { type RefObject, useEffect, useState } from 'react';
import { addToDraft } from '../../state/drafts.ts';

/**
 * Items of panels that are dragged onto the message box become lines of the message. True while they are held over it.
 * What that needs is loaded when there are panels.
 */
export function useItemDrop(sessionId: string, card: RefObject<HTMLElement | null>, arePanelsLoaded: boolean): boolean {
  const [isOver, setOver] = useState(false);
  useEffect(() => {
    if (!arePanelsLoaded) return;
    let release: (() => void) | null = null;
    let isGone = false;
    const load = import('@atlaskit/pragmatic-drag-and-drop/element/adapter');
    void load
      .then(({ dropTargetForElements }) => {
        if (isGone || !card.current) return;
        release = dropTargetForElements({
          element: card.current,
          canDrop: ({ source }) => typeof source.data.words === 'string',
          onDragEnter: () => setOver(true),
          onDragLeave: () => setOver(false),
          onDrop: ({ source }) => {
            setOver(false);
            addToDraft(sessionId, String(source.data.words));
          },
        });
      })
      .catch(() => undefined);
    return () => {
      isGone = true;
      release?.();
    };
  }, [sessionId, card, arePanelsLoaded]);
  return isOver;
}
