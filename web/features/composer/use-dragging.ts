import { type RefObject, useEffect, useRef, useState } from 'react';

type Drop = (turnId: string, target: string) => void;

/** A chip can be dragged by its handle onto another. What that needs is brought when there is something to drag. */
export function useDragging(
  chip: RefObject<HTMLElement | null>,
  handle: RefObject<HTMLElement | null>,
  turnId: string,
  isOn: boolean,
  onDrop: Drop,
): boolean {
  const [isOver, setOver] = useState(false);
  const drop = useRef(onDrop);
  useEffect(() => {
    drop.current = onDrop;
  });
  useEffect(() => {
    if (!isOn) return;
    let release: (() => void) | null = null;
    let isGone = false;
    void import('@atlaskit/pragmatic-drag-and-drop/element/adapter').then(({ draggable, dropTargetForElements }) => {
      if (isGone || !chip.current || !handle.current) return;
      const held = draggable({
        element: chip.current,
        dragHandle: handle.current,
        getInitialData: () => ({ waiting: turnId }),
      });
      const target = dropTargetForElements({
        element: chip.current,
        canDrop: ({ source }) => typeof source.data.waiting === 'string',
        onDragEnter: ({ source }) => setOver(source.data.waiting !== turnId),
        onDragLeave: () => setOver(false),
        onDrop: ({ source }) => {
          setOver(false);
          drop.current(String(source.data.waiting), turnId);
        },
      });
      release = () => {
        held();
        target();
      };
    });
    return () => {
      isGone = true;
      release?.();
    };
  }, [chip, handle, turnId, isOn]);
  return isOver;
}
