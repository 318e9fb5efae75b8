import { useText } from '../i18n/text.ts';
import { useLiveConnection } from '../live/use-live.ts';
import { Button } from '../ui/button.tsx';
import { addToDraft } from './drafts.ts';
import { outboxOf, useRefused } from './outbox.ts';

/** What was not accepted: its words are here until the person decides. */
export function RefusedMessages({ sessionId }: { sessionId: string }) {
  const text = useText();
  const outbox = outboxOf(useLiveConnection());
  const refused = useRefused(sessionId);
  const edit = (id: string, content: string) => {
    outbox.discard(id);
    addToDraft(sessionId, content);
  };
  return refused.map(({ id, content, reason }) => (
    <div key={id} role="alert" className="mb-1.5 rounded-lg border border-danger/50 bg-raised px-3 py-2">
      <p className="font-medium text-danger">{text('composer.notSent')}</p>
      <p>{reason ?? text('composer.notSentLongAgo')}</p>
      <p className="mt-1 line-clamp-2 text-fg-2">{content}</p>
      <div className="mt-1.5 flex flex-wrap gap-1.5">
        <Button onClick={() => outbox.retry(id)}>{text('error.retry')}</Button>
        <Button onClick={() => edit(id, content)}>{text('composer.edit')}</Button>
        <Button look="danger" onClick={() => outbox.discard(id)}>
          {text('composer.discard')}
        </Button>
      </div>
    </div>
  ));
}
