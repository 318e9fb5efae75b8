import { Plus } from 'lucide-react';
import { type ClipboardEvent, type FormEvent, useState } from 'react';
import { useText } from '../../../i18n/panel-words.ts';
import { IconButton } from '../../../ui/button.tsx';

interface Props {
  /** Nothing can be added. */
  isFull: boolean;
  onAdd(titles: readonly string[]): void;
}

const MOST_TITLE = 500;
const MOST_PASTED = 5000;

/** One item for each Enter; several lines that are pasted become several items. */
export function AddItem({ isFull, onAdd }: Props) {
  const text = useText();
  const [title, setTitle] = useState('');
  const add = (titles: readonly string[]) => {
    const plain = titles.map((one) => one.trim().slice(0, MOST_TITLE)).filter((one) => one !== '');
    if (plain.length > 0) onAdd(plain.slice(0, MOST_PASTED));
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    add([title]);
    setTitle('');
  };
  const onPaste = (event: ClipboardEvent) => {
    const lines = event.clipboardData
      .getData('text/plain')
      .split(/\r?\n/)
      .filter((line) => line.trim() !== '');
    if (lines.length < 2) return;
    event.preventDefault();
    add(
      [title + lines[0]!, ...lines.slice(1)].map((line) =>
        line.replace(/^\s*(?:[-*•]|\d+[.)])\s+(?:\[[ x]\]\s*)?/, ''),
      ),
    );
    setTitle('');
  };
  if (isFull) return null;
  return (
    <form onSubmit={submit} className="flex flex-none items-center gap-1 border-t border-line p-2">
      <input
        value={title}
        maxLength={MOST_TITLE}
        enterKeyHint="done"
        onChange={({ target }) => setTitle(target.value)}
        onPaste={onPaste}
        aria-label={text('list.add')}
        placeholder={text('list.add')}
        className="h-8 min-w-0 flex-1 rounded-md border border-line bg-surface px-2 touch:text-[16px]"
      />
      <IconButton type="submit" label={text('list.addButton')} disabled={title.trim() === ''}>
        <Plus size={15} />
      </IconButton>
    </form>
  );
}
