import { dropTargetForElements } from '@atlaskit/pragmatic-drag-and-drop/element/adapter';
import { type RefObject, useEffect, useState } from 'react';
import { changeLayout } from '../../../state/open-panels.ts';
import { placePanel, type Zone } from '../../../state/panel-layout.ts';
import { cx } from '../../../ui/cx.ts';

interface Props {
  place: RefObject<HTMLElement | null>;
  sessionId: string;
  groupId: string;
}

const EDGE = 0.25;

const AREAS: Readonly<Record<Zone, string>> = {
  center: 'inset-0',
  left: 'inset-y-0 left-0 w-1/2',
  right: 'inset-y-0 right-0 w-1/2',
  up: 'inset-x-0 top-0 h-1/2',
  down: 'inset-x-0 bottom-0 h-1/2',
};

/** Where a tab that is dragged over a group would go: into it, or beside it at the edge that is nearest. */
export function DropZones({ place, sessionId, groupId }: Props) {
  const [zone, setZone] = useState<Zone | null>(null);
  useEffect(() => {
    const element = place.current!;
    return dropTargetForElements({
      element,
      canDrop: ({ source }) => typeof source.data.panelId === 'string',
      onDrag: ({ location }) => setZone(zoneAt(element, location.current.input)),
      onDragLeave: () => setZone(null),
      onDrop: ({ source, location }) => {
        setZone(null);
        const to = zoneAt(element, location.current.input);
        changeLayout(sessionId, (layout) => placePanel(layout, String(source.data.panelId), groupId, to));
      },
    });
  }, [place, sessionId, groupId]);
  if (zone === null) return null;
  return <div aria-hidden="true" className={cx('pointer-events-none absolute z-20 bg-accent/20', AREAS[zone])} />;
}

function zoneAt(element: HTMLElement, { clientX, clientY }: { clientX: number; clientY: number }): Zone {
  const { left, top, width, height } = element.getBoundingClientRect();
  const [x, y] = [(clientX - left) / width, (clientY - top) / height];
  const distances: readonly [Zone, number][] = [
    ['left', x],
    ['right', 1 - x],
    ['up', y],
    ['down', 1 - y],
  ];
  const [nearest, distance] = distances.reduce((one, other) => (other[1] < one[1] ? other : one));
  return distance < EDGE ? nearest : 'center';
}
