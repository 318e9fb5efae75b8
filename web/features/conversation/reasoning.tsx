import { ChevronRight } from 'lucide-react';
import { useState } from 'react';
import { useText } from '../../i18n/text.ts';
import { duration } from '../../i18n/time.ts';
import { Words } from '../../markdown/words.tsx';
import { cx } from '../../ui/cx.ts';

interface Props {
  text: string;
  isLive: boolean;
  durationMs: number | null;
}

/** Thoughts, folded: they are not the answer. Not drawn until somebody looks. */
export function Reasoning({ text: thoughts, isLive, durationMs }: Props) {
  const text = useText();
  const [open, setOpen] = useState(false);
  return (
    <div className="my-1 text-xs text-fg-3">
      <button
        type="button"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
        className="flex min-h-6 items-center gap-1 touch:min-h-11 rounded-sm hover:text-fg-2"
      >
        <ChevronRight size={13} className={cx('transition-transform', open && 'rotate-90')} />
        {text(isLive ? 'conversation.thinking' : 'conversation.thought')}
        {durationMs !== null && durationMs >= SHORTEST_MS && ` · ${duration(durationMs)}`}
      </button>
      {open && (
        <p
          dir="auto"
          className="mt-1 border-s-2 border-line ps-3 whitespace-pre-wrap text-fg-2 [overflow-wrap:anywhere]"
        >
          <Words text={thoughts} />
        </p>
      )}
    </div>
  );
}

const SHORTEST_MS = 100;
