import { useSyncExternalStore } from 'react';
import { lazyPart } from './lazy-part.tsx';
import type { Notice, Show } from './toast-stack.tsx';

interface Waiting {
  notice: Notice;
  isClosed: boolean;
  close(): void;
}

/** Notices from before there was anything to show them. */
const waiting: Waiting[] = [];
let shown: Show | null = null;
let isWanted = false;
const listeners = new Set<() => void>();

/** Says something in passing; it stays long enough to be read and acted on. Gives back how to close it sooner. */
export function notify(notice: Notice): () => void {
  return shown ? shown(notice) : wait(notice);
}

function wait(notice: Notice): () => void {
  const one: Waiting = {
    notice,
    isClosed: false,
    close: () => {
      one.isClosed = true;
    },
  };
  waiting.push(one);
  isWanted = true;
  for (const listener of listeners) listener();
  return () => one.close();
}

/** Hands over waiting notices and those to come; gives back how to stop. */
function onNotice(show: Show): () => void {
  shown = show;
  for (const one of waiting.splice(0)) if (!one.isClosed) one.close = show(one.notice);
  return () => {
    shown = null;
  };
}

export const ToastStack = lazyPart(async () => (await import('./toast-stack.tsx')).ToastStack);

/** Loaded with the first notice, or before when there is time: most notices are about an unreachable server. */
export function Toasts() {
  const wanted = useSyncExternalStore(subscribe, () => isWanted);
  return wanted && <ToastStack onNotice={onNotice} />;
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
