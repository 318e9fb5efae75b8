import { useVirtualizer } from '@tanstack/react-virtual';
import { ArrowDown } from 'lucide-react';
import { useEffect, useMemo, useRef } from 'react';
import type { SessionState } from '../../client/session-state.ts';
import { useText } from '../i18n/text.ts';
import { useLive, useLiveConnection } from '../live/use-live.ts';
import { Button } from '../ui/button.tsx';
import { RowView } from './row-view.tsx';
import { type Row, toRows } from './rows.ts';
import { useStick } from './use-stick.ts';

const ESTIMATE: Record<Row['kind'], number> = { day: 40, message: 120, live: 120, action: 160 };

interface Props {
  state: SessionState;
  /** A message to show, from a search. */
  target: string | undefined;
}

/** Everything that was said, however much: only what can be seen is drawn. */
export function Transcript({ state, target }: Props) {
  const text = useText();
  const scroller = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const rows = useMemo(() => toRows(state), [state]);
  const { isAtEnd, toEnd, release } = useStick(scroller, content);
  const list = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => ESTIMATE[rows[index]!.kind],
    getItemKey: (index) => rows[index]!.key,
    overscan: 4,
    anchorTo: 'end',
    paddingStart: 16,
    paddingEnd: 24,
  });
  useEarlier(state.sessionId, list.range?.startIndex ?? 1);
  useTarget(rows, target, (index) => {
    release();
    list.scrollToIndex(index, { align: 'center' });
  });
  return (
    <div className="relative min-h-0 flex-1">
      <div
        ref={scroller}
        role="log"
        aria-live="off"
        aria-busy={state.live !== null}
        aria-label={text('conversation.log')}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        tabIndex={0}
        className="h-full overflow-y-auto [overflow-anchor:none]"
      >
        <div
          ref={content}
          className="relative mx-auto w-full max-w-(--measure) px-4"
          style={{ height: list.getTotalSize() }}
        >
          {list.getVirtualItems().map((item) => (
            <div
              key={item.key}
              ref={list.measureElement}
              data-index={item.index}
              className="absolute inset-x-4 top-0"
              style={{ transform: `translateY(${item.start}px)` }}
            >
              <RowView row={rows[item.index]!} sessionId={state.sessionId} />
            </div>
          ))}
        </div>
      </div>
      {!isAtEnd && (
        <Button className="absolute bottom-3 left-1/2 -translate-x-1/2 rounded-full shadow-float" onClick={toEnd}>
          <ArrowDown size={14} />
          {text('conversation.toEnd')}
        </Button>
      )}
    </div>
  );
}

/** Near the top, the page before is read. */
function useEarlier(sessionId: string, firstShown: number): void {
  const live = useLiveConnection();
  const before = useLive((state) => state.earlier.get(sessionId));
  const busy = useRef(false);
  useEffect(() => {
    if (firstShown > 3 || typeof before !== 'number' || busy.current) return;
    busy.current = true;
    void live.loadEarlier(sessionId).finally(() => {
      busy.current = false;
    });
  }, [live, sessionId, firstShown, before]);
}

function useTarget(rows: readonly Row[], target: string | undefined, show: (index: number) => void): void {
  const shown = useRef<string | undefined>(undefined);
  useEffect(() => {
    if (!target || shown.current === target) return;
    const index = rows.findIndex(({ key }) => key === target);
    if (index < 0) return;
    shown.current = target;
    show(index);
  }, [rows, target, show]);
}
