import { useEffect, useState } from 'react';
import { useLive, useLiveConnection } from '../../live/use-live.ts';

const PAUSE_MS = 400;

/** What is finished before the eyes of the person is read. Gives how many they have not come to yet. */
export function useReading(sessionId: string, isAtEnd: boolean): number {
  const { client } = useLiveConnection();
  const unread = useLive((state) => state.sessions.get(sessionId)?.unreadCount ?? 0);
  const isLooking = useIsLooking();
  useEffect(() => {
    if (unread === 0 || !isAtEnd || !isLooking) return;
    // What is left before the pause is over was seen all the same: it is marked on the way out.
    const mark = onceOnly(() => void client.markRead(sessionId).catch(() => undefined));
    const timer = setTimeout(mark, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      mark();
    };
  }, [client, sessionId, unread, isAtEnd, isLooking]);
  return unread;
}

function onceOnly(work: () => void): () => void {
  let isDone = false;
  return () => {
    if (!isDone) work();
    isDone = true;
  };
}

function useIsLooking(): boolean {
  const [isLooking, setLooking] = useState(!document.hidden);
  useEffect(() => {
    const look = () => setLooking(!document.hidden);
    look();
    document.addEventListener('visibilitychange', look);
    return () => document.removeEventListener('visibilitychange', look);
  }, []);
  return isLooking;
}
