import { useVirtualizer } from '@tanstack/react-virtual';
import { type RefObject, useCallback, useLayoutEffect, useRef, useState } from 'react';
import { leaveAt, type Place } from './places.ts';
import { type Row, slotOf } from './rows.ts';

const ESTIMATE: Readonly<Record<Row['kind'], number>> = {
  day: 40,
  message: 120,
  unfinished: 80,
  live: 120,
  action: 160,
};
const PADDING = { paddingStart: 16, paddingEnd: 24 };

export type List = ReturnType<typeof useList>;

/** Only what can be seen is drawn, however much there is. Begins where somebody left off, if they did. */
export function useList(rows: readonly Row[], scroller: RefObject<HTMLDivElement | null>, place: Place | undefined) {
  const slots = useSlots(rows);
  const getItemKey = useCallback((index: number) => slots[index]!, [slots]);
  const [known] = useState(() => measured(place));
  return useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => ESTIMATE[rows[index]!.kind],
    getItemKey,
    overscan: 4,
    anchorTo: 'end',
    initialOffset: () => offsetOf(rows, place),
    initialMeasurementsCache: known,
    ...PADDING,
  });
}

/** The same array as long as they are the same: tokens change what a row says, not which rows there are. */
function useSlots(rows: readonly Row[]): readonly string[] {
  const [slots, setSlots] = useState<readonly string[]>([]);
  if (slots.length === rows.length && rows.every((row, index) => slots[index] === slotOf(row))) return slots;
  const next = rows.map(slotOf);
  setSlots(next);
  return next;
}

function measured(place: Place | undefined) {
  const sizes = [...(place?.sizes ?? [])];
  return sizes.map(([key, size]) => ({ key, size, index: 0, start: 0, end: size, lane: 0 }));
}

/** Where the place is, as far as heights are known; without one, below everything: at the end. */
function offsetOf(rows: readonly Row[], place: Place | undefined): number {
  let start = PADDING.paddingStart;
  for (const row of rows) {
    if (row.key === place?.key) return Math.max(0, start + place.offset);
    start += place?.sizes.get(slotOf(row)) ?? ESTIMATE[row.kind];
  }
  return start;
}

/** Remembers where somebody was when they leave. */
export function useLeaving(sessionId: string, rows: readonly Row[], list: List, isAtEnd: boolean): void {
  const now = useRef({ rows, isAtEnd });
  useLayoutEffect(() => {
    now.current = { rows, isAtEnd };
  });
  useLayoutEffect(
    () => () => leaveAt(sessionId, now.current.isAtEnd ? null : placeNow(now.current.rows, list)),
    [sessionId, list],
  );
}

/** By the message at the top, or the one before what is there. */
function placeNow(rows: readonly Row[], list: List): Place | null {
  const offset = list.scrollOffset ?? 0;
  const top = list.getVirtualItemForOffset(offset)?.index ?? 0;
  const before = rows.slice(0, top + 1).findLastIndex(isPlaced);
  const index = before < 0 ? rows.findIndex(isPlaced) : before;
  const row = rows[index];
  if (!row || !isPlaced(row)) return null;
  const { start } = list.measurementsCache[index]!;
  const sizes = list.itemSizeCache as ReadonlyMap<string, number>;
  return { key: row.key, seq: row.message.seq!, offset: offset - start, sizes: new Map(sizes) };
}

function isPlaced(row: Row): row is Extract<Row, { kind: 'message' }> {
  return row.kind === 'message' && row.message.seq !== null;
}
