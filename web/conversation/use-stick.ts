import { type RefObject, useCallback, useEffect, useRef, useState } from 'react';

const NEAR = 24;
const UPWARD_KEYS = new Set(['PageUp', 'Home', 'ArrowUp']);

/**
 * Keeps the newest line in view while the person is at the end, whatever grows or shrinks; lets go as soon as they look
 * further up. Decided by what the page really measures, because no list knows when the composer grows.
 */
export function useStick(scroller: RefObject<HTMLElement | null>, content: RefObject<HTMLElement | null>) {
  const stuck = useRef(true);
  const [isAtEnd, setAtEnd] = useState(true);
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
  useEffect(() => {
    const element = scroller.current;
    if (!element || !content.current) return;
    const follow = () => {
      if (stuck.current) element.scrollTop = element.scrollHeight;
    };
    const observer = new ResizeObserver(follow);
    observer.observe(element);
    observer.observe(content.current);
    const release = () => note(false);
    const onWheel = (event: WheelEvent) => event.deltaY < 0 && element.scrollTop > 0 && release();
    const onKey = (event: KeyboardEvent) => UPWARD_KEYS.has(event.key) && release();
    const onScroll = () => {
      const distance = element.scrollHeight - element.clientHeight - element.scrollTop;
      if (distance < NEAR && !stuck.current) note(true);
      if (distance > element.clientHeight / 2 && stuck.current && isDragging) release();
    };
    let isDragging = false;
    const onDown = (event: PointerEvent) => {
      isDragging = event.target === element;
    };
    const onUp = () => {
      isDragging = false;
    };
    element.addEventListener('wheel', onWheel, { passive: true });
    element.addEventListener('keydown', onKey);
    element.addEventListener('scroll', onScroll, { passive: true });
    element.addEventListener('pointerdown', onDown);
    addEventListener('pointerup', onUp);
    return () => {
      observer.disconnect();
      element.removeEventListener('wheel', onWheel);
      element.removeEventListener('keydown', onKey);
      element.removeEventListener('scroll', onScroll);
      element.removeEventListener('pointerdown', onDown);
      removeEventListener('pointerup', onUp);
    };
  }, [scroller, content, note]);
  return { isAtEnd, toEnd, release: () => note(false) };
}
