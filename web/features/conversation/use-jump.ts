import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { AppError } from '../../../contract/errors.ts';
import { text } from '../../i18n/text.ts';
import type { Live } from '../../live/live.ts';
import { useLiveConnection } from '../../live/use-live.ts';
import { notify } from '../../ui/toast.tsx';
import type { Row } from './rows.ts';
import type { List } from './use-list.ts';

const MARKED_MS = 2500;

export interface Jump {
  /** Shows a row; what is not loaded is loaded first. */
  to(key: string, seq?: number): Promise<void>;
  readonly isLoading: boolean;
}

/** The way to something that was said, however long ago. */
export function useJump(sessionId: string, rows: readonly Row[], list: List, release: () => void): Jump {
  const live = useLiveConnection();
  const [loading, setLoading] = useState(0);
  const [wanted, setWanted] = useState<string | null>(null);
  const newest = useRef('');
  const to = useCallback(
    async (key: string, seq?: number) => {
      newest.current = key;
      setLoading((count) => count + 1);
      const isThere = await reach(live, sessionId, key, seq).finally(() => setLoading((count) => count - 1));
      if (isThere && newest.current === key) setWanted(key);
    },
    [live, sessionId],
  );
  useLayoutEffect(() => {
    if (wanted === null) return;
    const index = rows.findIndex(({ key }) => key === wanted);
    setWanted(null);
    if (index < 0) return offerBranch(live, sessionId, wanted, to);
    release();
    list.scrollToIndex(index, { align: 'center' });
  }, [wanted, rows, list, release, live, sessionId, to]);
  return { to, isLoading: loading > 0 };
}

async function reach(live: Live, sessionId: string, key: string, seq: number | undefined): Promise<boolean> {
  const isLoaded = live.store.getState().states.get(sessionId)?.messages.has(key) ?? false;
  if (isLoaded || key.includes(' ')) return true;
  try {
    await live.loadBack(sessionId, seq ?? (await live.client.call('getMessage', { messageId: key })).seq ?? 0);
    return true;
  } catch (error) {
    const isGone = error instanceof AppError && error.code === 'message_not_found';
    notify({ title: isGone ? text('conversation.messageGone') : (error as Error).message });
    return false;
  }
}

/** It is on a branch that is not shown: the person decides whether it shall be. */
function offerBranch(live: Live, sessionId: string, key: string, to: Jump['to']): void {
  const show = async () => {
    await live.client.call('chooseHead', { sessionId, body: { messageId: key } });
    await arrival(live, sessionId, key);
    await to(key);
  };
  const run = () => void show().catch((error: Error) => notify({ title: error.message }));
  notify({ title: text('conversation.otherBranch'), action: { label: text('conversation.showBranch'), run } });
}

/** The page is told of a branch, and then reads it. */
function arrival({ store }: Live, sessionId: string, key: string): Promise<void> {
  const isThere = () => store.getState().states.get(sessionId)?.messages.has(key) ?? true;
  const { promise, resolve } = Promise.withResolvers<void>();
  const stop = store.subscribe(() => isThere() && resolve());
  if (isThere()) resolve();
  return promise.finally(stop);
}

export interface Target {
  readonly messageId: string;
  /** One coming to this page; going back to it does not move anything. */
  readonly visit: string;
}

const seen = new Set<string>();

/** The message an address names, once; it is marked for a moment. */
export function useTarget(target: Target | undefined, jump: Jump): string | null {
  const [marked, setMarked] = useState<string | null>(null);
  const { to } = jump;
  useEffect(() => {
    if (!target || seen.has(target.visit)) return;
    seen.add(target.visit);
    setMarked(target.messageId);
    void to(target.messageId);
  }, [target, to]);
  const isMoving = jump.isLoading;
  useEffect(() => {
    if (marked === null || isMoving) return;
    const timer = setTimeout(() => setMarked(null), MARKED_MS);
    return () => clearTimeout(timer);
  }, [marked, isMoving]);
  return marked;
}
