import { lazy, Suspense, useSyncExternalStore } from 'react';

export interface Notice {
  title: string;
  description?: string;
  /** Something that can still be taken back. */
  undo?: { label: string; run(): void };
  /** Something to do about it. */
  action?: { label: string; run(): void };
  ms?: number;
}

/** Said before there was anything to show it. */
const waiting: Notice[] = [];
let shown: ((notice: Notice) => void) | null = null;
let isWanted = false;
const listeners = new Set<() => void>();

/** Says something in passing; it stays long enough to be read and acted on. */
export function notify(notice: Notice): void {
  if (shown) shown(notice);
  else wait(notice);
}

function wait(notice: Notice): void {
  waiting.push(notice);
  isWanted = true;
  for (const listener of listeners) listener();
}

/** Hands over what waits and whatever comes; gives back how to stop. */
export function onNotice(show: (notice: Notice) => void): () => void {
  shown = show;
  for (const notice of waiting.splice(0)) show(notice);
  return () => {
    shown = null;
  };
}

const ToastStack = lazy(() => import('./toast-stack.tsx').then((module) => ({ default: module.ToastStack })));

/** Loaded with the first thing there is to say. */
export function Toasts() {
  const wanted = useSyncExternalStore(subscribe, () => isWanted);
  return (
    wanted && (
      <Suspense>
        <ToastStack />
      </Suspense>
    )
  );
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
