import { memo, useRef } from 'react';
import { useText } from '../../i18n/text.ts';
import { useLive } from '../../live/use-live.ts';
import { useBottomBar } from '../../ui/bottom-bar.ts';
import { ComposerCard } from './composer-card.tsx';
import { QueueList } from './queue-list.tsx';
import { UnsentMessages } from './unsent-messages.tsx';

/** Where the person speaks. Drawn apart from the transcript: typing draws nothing of it, and tokens nothing of this. */
export const Composer = memo(function Composer({ sessionId }: { sessionId: string }) {
  const isGone = useLive((state) => state.states.get(sessionId)?.deleted ?? false);
  return isGone ? null : <Box sessionId={sessionId} />;
});

function Box({ sessionId }: { sessionId: string }) {
  const text = useText();
  const section = useRef<HTMLElement>(null);
  useBottomBar(section);
  return (
    <section
      ref={section}
      data-composer=""
      aria-label={text('composer.label')}
      className="@container mx-auto w-full max-w-[calc(var(--measure)+24px)] flex-none px-3 pb-3"
    >
      <UnsentMessages sessionId={sessionId} />
      <QueueList sessionId={sessionId} />
      <ComposerCard key={sessionId} sessionId={sessionId} />
    </section>
  );
}
