import type { LiveTurn } from '../../client/live-turn.ts';
import type { PlanEntry } from '../../contract/events.ts';
import { useText } from '../i18n/text.ts';
import { Caret } from '../markdown/caret.tsx';
import { cx } from '../ui/cx.ts';
import type { ShownPart } from './shown-parts.ts';

/** What stands under an answer that is being said. The caret is at the end of its words. */
export function UnderWay({ last, progress }: { last: ShownPart | undefined; progress?: LiveTurn['progress'] }) {
  const text = useText();
  const status = progress?.status ?? (last ? null : text('conversation.thinking'));
  return (
    <>
      {progress && progress.plan.length > 0 && <Plan entries={progress.plan} />}
      {status !== null && (
        <p className="text-fg-3">
          {status}
          {!last && <Caret />}
        </p>
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
