import { ChevronRight } from 'lucide-react';
import { useState } from 'react';
import { useText } from '../../i18n/text.ts';
import { cx } from '../../ui/cx.ts';
import { StatusDot } from '../../ui/status-dot.tsx';
import type { ShownCall } from './shown-parts.ts';
import { ToolRow } from './tool-row.tsx';

/** So many calls are shown one by one. */
const MOST_LOOSE = 2;

/** Finished calls that follow each other, as one line that opens. What the person had opened before stays open. */
export function ToolGroup({ calls }: { calls: readonly ShownCall[] }) {
  const text = useText();
  const [open, setOpen] = useState(false);
  const isGroup = calls.length > MOST_LOOSE;
  const isShown = open || !isGroup;
  return (
    <>
      {isGroup && (
        <button
          type="button"
          aria-expanded={open}
          onClick={() => setOpen(!open)}
          className="my-1 flex min-h-8 w-full touch:min-h-11 items-center gap-2 rounded-md px-2.5 text-left text-xs text-fg-2 hover:bg-hover"
        >
          <StatusDot status="completed" label={text('tool.complete')} />
          <span>{text('tool.used', { count: calls.length })}</span>
          <span className="min-w-0 flex-1 truncate font-mono text-fg-3">{namesOf(calls)}</span>
          <ChevronRight size={13} className={cx('flex-none transition-transform', open && 'rotate-90')} />
        </button>
      )}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: only notes that one of the buttons in it was used */}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: a key on a button is a click */}
      <div className={cx(!isShown && 'hidden')} onClick={() => setOpen(true)}>
        {calls.map((call) => (
          <ToolRow key={call.id} call={call} />
        ))}
      </div>
    </>
  );
}

function namesOf(calls: readonly ShownCall[]): string {
  return [...new Set(calls.map(({ name }) => name))].join(', ');
}
