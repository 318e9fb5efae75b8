import { Check, X } from 'lucide-react';
import { type KeyboardEvent, useState } from 'react';
import { useText } from '../../i18n/text.ts';
import { IconButton } from '../../ui/button.tsx';

interface Props {
  text: string;
  onSave(text: string): void;
  onDone(): void;
}

/** Changes the words of a message that waits, where it waits. Enter keeps them, Escape does not. */
export function QueueEditor({ text: before, onSave, onDone }: Props) {
  const text = useText();
  const [words, setWords] = useState(before);
  const save = () => {
    if (words.trim() === '') return;
    if (words !== before) onSave(words);
    onDone();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing || event.keyCode === 229) return;
    if (event.key === 'Escape') onDone();
    if (event.key !== 'Enter' || event.shiftKey) return;
    event.preventDefault();
    save();
  };
  return (
    <>
      <textarea
        // biome-ignore lint/a11y/noAutofocus: the person asked to write here
        autoFocus
        aria-label={text('composer.edit')}
        rows={Math.min(6, words.split('\n').length)}
        value={words}
        onChange={(event) => setWords(event.target.value)}
        onKeyDown={onKeyDown}
        className="my-1 min-w-0 flex-1 resize-none rounded-sm border border-line-strong bg-raised px-1.5 py-0.5"
      />
      <IconButton label={text('composer.save')} disabled={words.trim() === ''} onClick={save}>
        <Check size={14} />
      </IconButton>
      <IconButton label={text('action.cancel')} onClick={onDone}>
        <X size={14} />
      </IconButton>
    </>
  );
}
