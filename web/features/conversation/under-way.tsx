import { useEffect, useReducer } from 'react';
import type { LiveTurn } from '../../../client/live-turn.ts';
import type { PlanEntry, TurnRetry } from '../../../contract/events.ts';
import type { TextKey } from '../../i18n/en.ts';
import { useText } from '../../i18n/text.ts';
import { Caret } from '../../markdown/caret.tsx';
import { cx } from '../../ui/cx.ts';

/** What stands under an answer that is being said. The caret is at the end of its words. */
export function UnderWay({ turn: { parts, retry, progress } }: { turn: LiveTurn }) {
  const text = useText();
  const seconds = useSecondsLeft(retry);
  const isSilent = parts.length === 0;
  const status = progress?.status ?? (isSilent ? text('conversation.thinking') : null);
  return (
    <>
      {progress && progress.plan.length > 0 && <Plan entries={progress.plan} />}
      {retry && seconds > 0 ? (
        <p className="text-fg-3">{text(retryText(retry), { seconds })}</p>
      ) : (
        status !== null && (
          <p className="text-fg-3">
            {status}
            {isSilent && <Caret />}
          </p>
        )
      )}
    </>
  );
}

const MARKS = { pending: '○', running: '◐', complete: '●' } as const satisfies Record<PlanEntry['state'], string>;

/** What the agent intends to do, and how far it has come. */
function Plan({ entries }: { entries: readonly PlanEntry[] }) {
  const text = useText();
  return (
    <ol aria-label={text('plan.title')} className="flex flex-col gap-1 text-sm text-fg-2">
      {entries.map(({ text: words, state }, place) => (
        // A plan is replaced as a whole, and its entries have no names.
        // biome-ignore lint/suspicious/noArrayIndexKey: see above
        <li key={place} className={cx('flex gap-2', state === 'complete' && 'text-fg-3')}>
          <span aria-label={text(`plan.${state}`)} role="img">
            {MARKS[state]}
          </span>
          <span className="min-w-0 break-words">{words}</span>
        </li>
      ))}
    </ol>
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
