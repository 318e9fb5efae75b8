import { whenIdle } from '../../ui/when-idle.ts';

let loading: Promise<typeof import('./drag.ts')> | null = null;

/** What rows are dragged with: loaded when the page is idle or a pointer moves, because the first view does without it. */
export function loadDrag(): Promise<typeof import('./drag.ts')> {
  loading ??= idleOrPointed().then(() => import('./drag.ts'));
  return loading;
}

function idleOrPointed(): Promise<void> {
  return new Promise((resolve) => {
    addEventListener('pointermove', () => resolve(), { once: true, passive: true });
    whenIdle(resolve, 5000);
  });
}
