import { ChevronRight } from 'lucide-react';
import { useState } from 'react';
import { useText } from '../i18n/text.ts';
import { cx } from '../ui/cx.ts';

/** Thoughts, folded: they are not the answer. Not drawn until somebody looks. */
export function Reasoning({ text: thoughts, isLive }: { text: string; isLive: boolean }) {
  const text = useText();
  const [open, setOpen] = useState(false);
  return (
    <div className="my-1 text-xs text-fg-3">
      <button
        type="button"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
        className="flex min-h-6 items-center gap-1 rounded-sm hover:text-fg-2"
      >
        <ChevronRight size={13} className={cx('transition-transform', open && 'rotate-90')} />
        {text(isLive ? 'conversation.thinking' : 'conversation.thought')}
      </button>
      {open && <p className="mt-1 border-l-2 border-line pl-3 whitespace-pre-wrap text-fg-2">{thoughts}</p>}
    </div>
  );
}
