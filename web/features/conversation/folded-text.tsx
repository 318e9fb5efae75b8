import { type ReactNode, useId, useState } from 'react';
import { useText } from '../../i18n/text.ts';
import { cx } from '../../ui/cx.ts';
import { isLongText, linesOf } from '../../ui/long-text.ts';

/** The messages that were opened, so that one stays open when it is scrolled out of sight and back. */
const opened = new Set<string>();

/** A long text of a person, of which only the beginning is shown until it is opened. All of it is in the page. */
export function FoldedText({ id, text: words, children }: { id: string; text: string; children: ReactNode }) {
  const text = useText();
  const bodyId = useId();
  const [isOpen, setOpen] = useState(opened.has(id));
  if (!isLongText(words)) return children;
  const toggle = () => {
    if (isOpen) opened.delete(id);
    else opened.add(id);
    setOpen(!isOpen);
  };
  return (
    <>
      <div id={bodyId} data-folded={!isOpen} className={cx(!isOpen && 'fade-end max-h-60 overflow-hidden')}>
        {children}
      </div>
      <button
        type="button"
        aria-expanded={isOpen}
        aria-controls={bodyId}
        onClick={toggle}
        className="mt-1 min-h-6 touch:min-h-11 touch:min-w-11 text-xs text-link hover:underline print:hidden"
      >
        {isOpen ? text('message.showLess') : text('message.showAll', { count: linesOf(words) })}
      </button>
    </>
  );
}
