import { type ReactNode, useState } from 'react';
import { useText } from '../../../i18n/text.ts';
import { useLive } from '../../../live/use-live.ts';
import { cx } from '../../../ui/cx.ts';
import { lazyPart } from '../../../ui/lazy-part.tsx';
import { lastProposal } from './proposal.ts';

const DraftPane = lazyPart(async () => (await import('./draft-pane.tsx')).DraftPane);

const SIDES = ['talk', 'draft'] as const;
type Side = (typeof SIDES)[number];

/** The conversation with the builder, and the draft beside it. Where there is no room for both, one of them. */
export function BuilderDesk({ sessionId, children }: { sessionId: string; children: ReactNode }) {
  const [side, setSide] = useState<Side>('talk');
  const proposal = useLive(({ states }) => lastProposal(states.get(sessionId)));
  return (
    <div className="@container flex min-h-0 flex-1 flex-col">
      {proposal && <Sides chosen={side} onChoose={setSide} />}
      <div className="flex min-h-0 flex-1">
        <div
          className={cx('min-w-0 flex-1 flex-col', side === 'talk' || !proposal ? 'flex' : 'hidden @min-[820px]:flex')}
        >
          {children}
        </div>
        {proposal && (
          <div className={cx('min-w-0 flex-1 @min-[820px]:flex', side === 'draft' ? 'flex' : 'hidden')}>
            <DraftPane sessionId={sessionId} proposal={proposal} />
          </div>
        )}
      </div>
    </div>
  );
}

function Sides({ chosen, onChoose }: { chosen: Side; onChoose(side: Side): void }) {
  const text = useText();
  return (
    <div className="flex flex-none gap-1 border-b border-line px-3 @min-[820px]:hidden">
      {SIDES.map((side) => (
        <button
          key={side}
          type="button"
          aria-pressed={side === chosen}
          onClick={() => onChoose(side)}
          className={cx(
            '-mb-px h-9 border-b-2 px-2.5 touch:h-11',
            side === chosen ? 'border-accent text-fg' : 'border-transparent text-fg-2 hover:text-fg',
          )}
        >
          {text(`builder.${side}`)}
        </button>
      ))}
    </div>
  );
}
