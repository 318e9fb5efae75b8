import { useVirtualizer } from '@tanstack/react-virtual';
import { type RefObject, useCallback, useLayoutEffect, useRef, useState } from 'react';
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

/** Only what can be seen is drawn, however much there is. Begins where the person left off, if they were here before. */
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

/** Remembers the reading position when the conversation is left. */
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

/** A reading position: a row, how far below its beginning the page began, and how high rows were. */
interface Place {
  readonly key: string;
  /** Of the message, so that as much can be loaded again. */
  readonly seq: number;
  readonly offset: number;
  readonly sizes: ReadonlyMap<string, number>;
}

const KEPT = 30;
const places = new Map<string, Place>();

/** Undefined: at the end, or never here. */
export function placeIn(sessionId: string): Place | undefined {
  return places.get(sessionId);
}

/** For this visit to the app only. */
export function leaveAt(sessionId: string, place: Place | null): void {
  places.delete(sessionId);
  if (place) places.set(sessionId, place);
  for (const oldest of places.keys()) {
    if (places.size <= KEPT) return;
    places.delete(oldest);
  }
}

const NEAR = 24;
const UPWARD_KEYS = new Set(['PageUp', 'Home', 'ArrowUp']);

interface Stick {
  readonly isAtEnd: boolean;
  toEnd(): void;
  release(): void;
}

/**
 * Keeps the newest line in view while the person is at the end, whatever grows or shrinks; lets go as soon as they look
 * further up. Decided by what the page really measures, because no list knows when the composer grows. Before the page is
 * drawn, so that a conversation that comes back is at its end at once.
 */
export function useStick(
  scroller: RefObject<HTMLElement | null>,
  content: RefObject<HTMLElement | null>,
  beginsAtEnd: boolean,
): Stick {
  const stuck = useRef(beginsAtEnd);
  const [isAtEnd, setAtEnd] = useState(beginsAtEnd);
  const note = useCallback((value: boolean) => {
    stuck.current = value;
    setAtEnd(value);
  }, []);
  const toEnd = useCallback(() => {
    const element = scroller.current;
    if (!element) return;
    note(true);
    element.scrollTop = element.scrollHeight;
  }, [scroller, note]);
  const release = useCallback(() => {
    note(false);
    // What is shown next may be at the end all the same: then nothing scrolls, and no event says so.
    requestAnimationFrame(() => scroller.current && distanceToEnd(scroller.current) < NEAR && note(true));
  }, [scroller, note]);
  useLayoutEffect(() => {
    const element = scroller.current;
    if (!element || !content.current) return;
    const follow = () => {
      if (stuck.current) element.scrollTop = element.scrollHeight;
    };
    follow();
    const observer = new ResizeObserver(follow);
    observer.observe(element);
    observer.observe(content.current);
    const stop = listen(element, () => stuck.current, note);
    return () => {
      observer.disconnect();
      stop();
    };
  }, [scroller, content, note]);
  return { isAtEnd, toEnd, release };
}

function distanceToEnd({ scrollHeight, clientHeight, scrollTop }: HTMLElement): number {
  return scrollHeight - clientHeight - scrollTop;
}

/** What a person does to look elsewhere: by wheel, key, finger or scroll bar. */
function listen(element: HTMLElement, isStuck: () => boolean, note: (isAtEnd: boolean) => void): () => void {
  const stop = new AbortController();
  const quiet = { passive: true, signal: stop.signal };
  let isDragging = false;
  let finger = 0;
  // One turn of a wheel may have led to the very top before it is told of.
  const lookUp = () => element.scrollHeight > element.clientHeight && note(false);
  const onScroll = () => {
    const distance = distanceToEnd(element);
    if (distance < NEAR && !isStuck()) note(true);
    if (distance > element.clientHeight / 2 && isStuck() && isDragging) note(false);
  };
  element.addEventListener('wheel', ({ deltaY }) => deltaY < 0 && lookUp(), quiet);
  element.addEventListener('keydown', ({ key }) => UPWARD_KEYS.has(key) && lookUp(), quiet);
  element.addEventListener('scroll', onScroll, quiet);
  element.addEventListener(
    'touchstart',
    ({ touches }) => {
      finger = touches[0]?.clientY ?? 0;
    },
    quiet,
  );
  element.addEventListener('touchmove', ({ touches }) => (touches[0]?.clientY ?? 0) > finger && lookUp(), quiet);
  element.addEventListener(
    'pointerdown',
    ({ target }) => {
      isDragging = target === element;
    },
    quiet,
  );
  addEventListener(
    'pointerup',
    () => {
      isDragging = false;
    },
    quiet,
  );
  return () => stop.abort();
}
