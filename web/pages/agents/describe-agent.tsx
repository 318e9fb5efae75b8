import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, type KeyboardEvent, useRef, useState } from 'react';
import { beginBuilding } from '../../../client/begin-building.ts';
import { putSpoken } from '../../features/composer/voice/spoken.ts';
import { useDictation } from '../../features/composer/voice/use-dictation.ts';
import { VoiceButton } from '../../features/composer/voice/voice-button.tsx';
import { useText } from '../../i18n/text.ts';
import { useLiveConnection } from '../../live/use-live.ts';
import { Button } from '../../ui/button.tsx';
import { Section } from '../../ui/page.tsx';
import { notify } from '../../ui/toast.tsx';

/** In one's own words, written or spoken: the builder goes on from there. */
export function DescribeAgent() {
  const text = useText();
  const box = useRef<HTMLTextAreaElement>(null);
  const [words, setWords] = useState('');
  const latest = useRef(words);
  latest.current = words;
  const { dictation, heard } = useDictation({ text: () => latest.current, put: setWords });
  const isDictating = heard.phase !== 'off';
  const { begin, isBusy } = useBeginning();
  const canBegin = words.trim() !== '' && !isBusy && !isDictating;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (canBegin) begin(words.trim());
  };
  const press = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (event.key === 'Escape' && isDictating) dictation.cancel();
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    submit(event);
  };
  const spoken = putSpoken(words, heard.at, `${heard.sure} ${heard.guess}`);
  return (
    <Section title={text('builder.title')} hint={text('builder.hint')}>
      <form onSubmit={submit} className="rounded-lg border border-line-strong bg-raised focus-within:border-fg-3">
        <textarea
          ref={box}
          rows={3}
          aria-label={text('builder.box')}
          placeholder={text('builder.example')}
          value={isDictating ? spoken.before + spoken.words + spoken.after : words}
          readOnly={isDictating}
          onChange={({ target }) => setWords(target.value)}
          onKeyDown={press}
          className="block w-full resize-y bg-transparent px-3.5 pt-2.5 outline-none placeholder:text-fg-3"
        />
        <div className="flex items-center justify-end gap-1 px-2 pb-2">
          <VoiceButton dictation={dictation} phase={heard.phase} caret={() => box.current?.selectionStart ?? 0} />
          <Button look="primary" type="submit" disabled={!canBegin}>
            {text('builder.begin')}
          </Button>
        </div>
      </form>
    </Section>
  );
}

function useBeginning() {
  const { client } = useLiveConnection();
  const navigate = useNavigate();
  const [isBusy, setBusy] = useState(false);
  const begin = (words: string) => {
    setBusy(true);
    beginBuilding(client, words)
      .then((sessionId) => navigate({ to: '/sessions/$sessionId', params: { sessionId } }))
      .catch((error: Error) => notify({ title: error.message }))
      .finally(() => setBusy(false));
  };
  return { begin, isBusy };
}
