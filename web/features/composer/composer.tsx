import { memo, useRef } from 'react';
import { useText } from '../../i18n/text.ts';
import { useLive, useLiveConnection } from '../../live/use-live.ts';
import { addToDraft } from '../../state/drafts.ts';
import { outboxOf, useUnsent } from '../../state/outbox.ts';
import type { Outgoing } from '../../state/sending.ts';
import { useBottomBar } from '../../ui/bottom-bar.ts';
import { Button } from '../../ui/button.tsx';
import { cx } from '../../ui/cx.ts';
import { attachAgain } from './attachments.ts';
import { ComposerCard } from './composer-card.tsx';
import { QueueList } from './queue-list.tsx';

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

/** What has not reached the server, or was not accepted: its words are here until it has, or the person decides. */
function UnsentMessages({ sessionId }: { sessionId: string }) {
  const unsent = useUnsent(sessionId);
  return unsent.map((one) => <Unsent key={one.id} unsent={one} />);
}

function Unsent({ unsent }: { unsent: Outgoing }) {
  const text = useText();
  const outbox = outboxOf(useLiveConnection());
  const { id, sessionId, content, files, state, reason } = unsent;
  const isRefused = state === 'failed';
  const edit = () => {
    outbox.discard(id);
    attachAgain(sessionId, files);
    addToDraft(sessionId, content);
  };
  return (
    <div
      role={isRefused ? 'alert' : 'status'}
      className={cx('mb-1.5 rounded-lg border bg-raised px-3 py-2', isRefused ? 'border-danger/50' : 'border-line')}
    >
      {isRefused && <p className="font-medium text-danger">{text('composer.notSent')}</p>}
      <p>{isRefused ? (reason ?? text('composer.notSentLongAgo')) : text('composer.goesOutLater')}</p>
      <p className="mt-1 line-clamp-2 break-words text-fg-2">{content || files.map(({ name }) => name).join(', ')}</p>
      <div className="mt-1.5 flex flex-wrap gap-1.5">
        <Button onClick={() => outbox.retry(id)}>{text('error.retry')}</Button>
        {isRefused && <Button onClick={edit}>{text('composer.edit')}</Button>}
        <Button look="danger" onClick={() => outbox.discard(id)}>
          {text('composer.discard')}
        </Button>
      </div>
    </div>
  );
}
