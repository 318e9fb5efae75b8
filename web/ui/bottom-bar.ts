import { type RefObject, useLayoutEffect } from 'react';

const HEIGHT = '--bottom-bar';

/** For what stands at the lower edge of a page: notices are shown above it. */
export function useBottomBar(bar: RefObject<HTMLElement | null>): void {
  useLayoutEffect(() => {
    const element = bar.current!;
    element.dataset.bottomBar = '';
    const sizes = new ResizeObserver(measure);
    sizes.observe(element);
    return () => {
      sizes.disconnect();
      requestAnimationFrame(measure);
    };
  }, [bar]);
}

/** Pages behind the one that is shown may have bars, too. */
function measure(): void {
  const bars = document.querySelectorAll<HTMLElement>('[data-bottom-bar]');
  const heights = Array.from(bars, ({ offsetHeight }) => offsetHeight);
  document.documentElement.style.setProperty(HEIGHT, `${Math.max(0, ...heights)}px`);
}
