import { useState } from 'react';
import type { Message } from '../../contract/messages.ts';
import { useText } from '../i18n/text.ts';
import { useLiveConnection } from '../live/use-live.ts';
import { Button } from '../ui/button.tsx';
import { notify } from '../ui/toast.tsx';

/** Says something else instead: what was said before stays beside it. */
export function EditMessage({ message, onDone }: { message: Message; onDone(): void }) {
  const text = useText();
  const { client } = useLiveConnection();
  const [words, setWords] = useState(message.text);
  const send = () =>
    void client
      .reviseMessage(message.id, { content: words })
      .then(onDone)
      .catch((error: Error) => notify({ title: error.message }));
  return (
    <div className="mt-1 w-full max-w-[85%]">
      <textarea
        // biome-ignore lint/a11y/noAutofocus: the person asked to write here
        autoFocus
        aria-label={text('message.edit')}
        value={words}
        onChange={(event) => setWords(event.target.value)}
        onKeyDown={(event) => event.key === 'Escape' && onDone()}
        rows={Math.min(12, words.split('\n').length + 1)}
        className="w-full rounded-md border border-line-strong bg-surface p-2 text-md"
      />
      <div className="mt-1 flex justify-end gap-2">
        <Button onClick={onDone}>{text('action.cancel')}</Button>
        <Button look="primary" disabled={words.trim() === ''} onClick={send}>
          {text('message.sendEdited')}
        </Button>
      </div>
    </div>
  );
}
