import { memo, type RefObject, useEffect, useMemo, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import type { SharedMessage } from '../../../contract/shares.ts';
import { useText } from '../../i18n/text.ts';
import { shownTheme } from '../../state/theme.ts';
import { whenIdle } from '../../ui/when-idle.ts';
import { SharedRowView } from './shared-row-view.tsx';
import { heightOf, inBlocks, type SharedRow, toSharedRows } from './shared-rows.ts';

const BLOCK = 20;

/**
 * Everything that was said. What is near is drawn at once, the rest when there is time, so that a search in the page
 * finds it; of a very long transcript only what is near the visible part. On paper there is always all of it.
 */
export function SharedTranscript({ messages }: { messages: readonly SharedMessage[] }) {
  const text = useText();
  const blocks = useMemo(() => inBlocks(toSharedRows(messages), BLOCK), [messages]);
  const isPrinting = useIsPrinting();
  const ahead = useDrawnAhead(blocks.length);
  return (
    <section aria-label={text('conversation.log')} className="pb-6 print:[&_figcaption_button]:hidden">
      {blocks.map((rows, at) => (
        <Block key={rows[0]!.key} rows={rows} wanted={isPrinting || at < ahead} />
      ))}
    </section>
  );
}

interface BlockProps {
  rows: readonly SharedRow[];
  wanted: boolean;
}

const Block = memo(function Block({ rows, wanted }: BlockProps) {
  const place = useRef<HTMLDivElement>(null);
  const isNear = useIsNear(place);
  const isDrawn = wanted || isNear;
  const height = useMemo(() => heightOf(rows), [rows]);
  return (
    <div
      ref={place}
      className="[content-visibility:auto] print:[content-visibility:visible]"
      style={isDrawn ? { containIntrinsicSize: `auto ${height}px` } : { height }}
    >
      {isDrawn && rows.map((row) => <SharedRowView key={row.key} row={row} />)}
    </div>
  );
});

const NEAR = '1500px 0px';

/** Drawn once the reader has scrolled near it. */
function useIsNear(place: RefObject<HTMLElement | null>): boolean {
  const [isNear, setNear] = useState(false);
  useEffect(() => {
    const observer = new IntersectionObserver(
      (entries) => {
        if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
        observer.disconnect();
        setNear(true);
      },
      { rootMargin: NEAR },
    );
    observer.observe(place.current!);
    return () => observer.disconnect();
  }, [place]);
  return isNear;
}

/** Paper is light, and holds everything: both have to be so before the browser looks. */
function useIsPrinting(): boolean {
  const [isPrinting, setPrinting] = useState(false);
  useEffect(() => {
    const change = (printing: boolean) => () => {
      document.documentElement.dataset.theme = printing ? 'light' : shownTheme();
      flushSync(() => setPrinting(printing));
    };
    const [begin, end] = [change(true), change(false)];
    addEventListener('beforeprint', begin);
    addEventListener('afterprint', end);
    return () => {
      removeEventListener('beforeprint', begin);
      removeEventListener('afterprint', end);
    };
  }, []);
  return isPrinting;
}

/** More than this is drawn only near the visible part: a thousand messages are a long evening. */
const MOST_BLOCKS = 50;

/** How many blocks from the beginning are drawn although the reader is not near them: one more whenever there is time. */
function useDrawnAhead(blocks: number): number {
  const [drawn, setDrawn] = useState(1);
  const goal = blocks > MOST_BLOCKS ? 1 : blocks;
  useEffect(() => (drawn < goal ? whenIdle(() => setDrawn(drawn + 1), 1000) : undefined), [drawn, goal]);
  return drawn;
}
