import type { RefObject } from 'react';
import { markUnseenCharacters } from '../../../contract/unseen-characters.ts';
import { useText } from '../../i18n/text.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';

interface Props {
  name: string;
  text: string;
  box: RefObject<HTMLTextAreaElement | null>;
  onRemove(): void;
  onClose(): void;
}

/** A long text that was pasted: to read, to remove, or to put into the message where the cursor is. */
export function PasteDialog({ name, text: pasted, box, onRemove, onClose }: Props) {
  const text = useText();
  const remove = () => {
    onClose();
    onRemove();
  };
  const putBack = () => {
    remove();
    // The dialog gives the focus back when it closes; the text goes in after that.
    requestAnimationFrame(() => insert(box.current, pasted));
  };
  return (
    <Dialog
      open
      wide
      onClose={onClose}
      title={name}
      footer={
        <>
          <Button onClick={remove}>{text('composer.remove')}</Button>
          <Button onClick={putBack}>{text('composer.paste.asText')}</Button>
        </>
      }
    >
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <pre tabIndex={0} dir="auto" className="font-mono text-xs whitespace-pre-wrap [overflow-wrap:anywhere]">
        {markUnseenCharacters(pasted)}
      </pre>
    </Dialog>
  );
}

/** As if it had been typed: the browser's undo takes it out again, which a changed value would not allow. */
function insert(box: HTMLTextAreaElement | null, text: string): void {
  if (!box) return;
  box.focus({ preventScroll: true });
  if (document.execCommand('insertText', false, text)) return;
  box.setRangeText(text, box.selectionStart, box.selectionEnd, 'end');
  box.dispatchEvent(new Event('input', { bubbles: true }));
}
