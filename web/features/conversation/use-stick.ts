import { type RefObject, useCallback, useLayoutEffect, useRef, useState } from 'react';

const NEAR = 24;
const UPWARD_KEYS = new Set(['PageUp', 'Home', 'ArrowUp']);

export interface Stick {
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
  const release = useCallback(() => note(false), [note]);
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

/** What a person does to look elsewhere: by wheel, key, finger or scroll bar. */
function listen(element: HTMLElement, isStuck: () => boolean, note: (isAtEnd: boolean) => void): () => void {
  const stop = new AbortController();
  const quiet = { passive: true, signal: stop.signal };
  let isDragging = false;
  let finger = 0;
  // One turn of a wheel may have led to the very top before it is told of.
  const lookUp = () => element.scrollHeight > element.clientHeight && note(false);
  const onScroll = () => {
    const distance = element.scrollHeight - element.clientHeight - element.scrollTop;
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
