import { useEffect, useReducer } from 'react';
import type { LiveTurn } from '../../client/live-turn.ts';
import type { TurnRetry } from '../../contract/events.ts';
import type { TextKey } from '../i18n/en.ts';
import { useText } from '../i18n/text.ts';
import { Caret } from '../markdown/caret.tsx';

/** What stands under an answer that is being said. The caret is at the end of its words. */
export function UnderWay({ turn: { parts, retry } }: { turn: LiveTurn }) {
  const text = useText();
  const seconds = useSecondsLeft(retry);
  if (retry && seconds > 0) return <p className="text-fg-3">{text(retryText(retry), { seconds })}</p>;
  if (parts.length > 0) return null;
  return (
    <p className="text-fg-3">
      {text('conversation.thinking')}
      <Caret />
    </p>
  );
}

const RETRIES: Readonly<Record<string, TextKey>> = {
  model_rate_limited: 'conversation.retry.rateLimited',
  model_overloaded: 'conversation.retry.overloaded',
  model_unreachable: 'conversation.retry.unreachable',
};

function retryText({ code }: TurnRetry): TextKey {
  return RETRIES[code] ?? 'conversation.retry.other';
}

/** When each retry was announced: the clock of the server may differ from the one here. */
const announced = new WeakMap<TurnRetry, number>();

/** Whole seconds until the request is sent again; drawn anew every second until then. */
function useSecondsLeft(retry: TurnRetry | null): number {
  const [, tick] = useReducer((count: number) => count + 1, 0);
  if (retry && !announced.has(retry)) announced.set(retry, Date.now());
  const left = retry ? announced.get(retry)! + retry.waitMs - Date.now() : 0;
  const isWaiting = left > 0;
  useEffect(() => {
    if (!isWaiting) return;
    const timer = setInterval(tick, 1000);
    return () => clearInterval(timer);
  }, [isWaiting]);
  return Math.max(0, Math.ceil(left / 1000));
}
