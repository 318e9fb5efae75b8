import { useEffect, useState } from 'react';
import { useText } from '../../i18n/text.ts';
import { useLive, useLiveConnection } from '../../live/use-live.ts';
import { cx } from '../../ui/cx.ts';

const AGAIN_MS = 3000;

/** Near the top, the page before is read; true while it is. */
export function useEarlier(sessionId: string, firstShown: number): boolean {
  const live = useLiveConnection();
  const before = useLive((state) => state.earlier.get(sessionId));
  const [isBusy, setBusy] = useState(false);
  useEffect(() => {
    if (firstShown > 3 || typeof before !== 'number' || isBusy) return;
    setBusy(true);
    live.loadEarlier(sessionId).then(
      () => setBusy(false),
      // Somebody who scrolls up while the server is away does not ask it a hundred times.
      () => setTimeout(() => setBusy(false), AGAIN_MS),
    );
  }, [live, sessionId, firstShown, before, isBusy]);
  return isBusy;
}

export function ReadingBack({ isLow }: { isLow: boolean }) {
  const text = useText();
  return (
    <p
      role="status"
      className={cx(
        'pointer-events-none absolute left-1/2 -translate-x-1/2 rounded-full border border-line bg-raised px-3 py-1 text-xs text-fg-2 shadow-float',
        isLow ? 'top-14' : 'top-3',
      )}
    >
      {text('conversation.loadingEarlier')}
    </p>
  );
}
