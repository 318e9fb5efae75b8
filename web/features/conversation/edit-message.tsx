import { useState } from 'react';
import type { Message } from '../../../contract/messages.ts';
import { useText } from '../../i18n/text.ts';
import { useLiveConnection } from '../../live/use-live.ts';
import { settleDeletions } from '../../state/message-deletions.ts';
import { Button } from '../../ui/button.tsx';
import { notify } from '../../ui/toast.tsx';

/** Takes the place of the message being edited. The original stays reachable as another version. */
export function EditMessage({ message, onDone }: { message: Message; onDone(): void }) {
  const text = useText();
  const live = useLiveConnection();
  const [words, setWords] = useState(message.text);
  const send = () =>
    void settleDeletions(live, message.sessionId)
      .then(() => live.client.reviseMessage(message.id, { content: words }))
      .then(onDone)
      .catch((error: Error) => notify({ title: error.message }));
  return (
    <div className="w-full rounded-xl border border-line-strong bg-raised p-2 focus-within:border-fg-3">
      <textarea
        // biome-ignore lint/a11y/noAutofocus: the person asked to write here
        autoFocus
        aria-label={text('message.edit')}
        value={words}
        onChange={(event) => setWords(event.target.value)}
        onKeyDown={(event) => event.key === 'Escape' && onDone()}
        rows={Math.min(12, words.split('\n').length + 1)}
        className="max-h-80 w-full resize-none bg-transparent px-1.5 py-1 text-md leading-relaxed outline-none field-sizing-content"
      />
      <div className="mt-2 flex justify-end gap-2">
        <Button onClick={onDone}>{text('action.cancel')}</Button>
        <Button look="primary" disabled={words.trim() === ''} onClick={send}>
          {text('message.sendEdited')}
        </Button>
      </div>
    </div>
  );
}
