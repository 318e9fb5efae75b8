import { type RefObject, useEffect } from 'react';
import type { Place } from './hits.ts';
import type { Find } from './use-find.ts';
import { spansIn } from './words.ts';

const ALL = 'found';
const CURRENT = 'found-current';
/** The box itself lies over the top of the page. */
const BAR = 48;

/**
 * Marks the words that were found, by the browser's own highlights: nothing in the page is changed for it. Where there are
 * none, the message is marked all the same.
 */
export function useMarks(
  scroller: RefObject<HTMLElement | null>,
  content: RefObject<HTMLElement | null>,
  { words, hits, current }: Find,
): void {
  useEffect(() => {
    if (words.length === 0 || !content.current || !CSS.highlights) return;
    return keepMarked(content.current, words, new Set(hits.map(({ key }) => key)), current);
  }, [content, words, hits, current]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each place that is shown
  useEffect(() => {
    if (current === null || !scroller.current || !content.current) return;
    return bringIntoView(scroller.current, content.current, words, current);
  }, [current?.key, current?.at]);
}

function keepMarked(
  content: HTMLElement,
  words: readonly string[],
  keys: ReadonlySet<string>,
  current: Place | null,
): () => void {
  let frame = 0;
  const draw = () => {
    frame = 0;
    const rows = [...content.querySelectorAll<HTMLElement>('[data-key]')];
    const found = rows.filter(({ dataset }) => keys.has(dataset.key ?? ''));
    const here = found.find(({ dataset }) => dataset.key === current?.key);
    const shown = here && placeIn(rangesIn(here, words), current);
    const ranges = found.flatMap((row) => rangesIn(row, words));
    CSS.highlights.set(ALL, new Highlight(...ranges.filter((range) => !shown || !isSameRange(range, shown))));
    CSS.highlights.set(CURRENT, new Highlight(...(shown ? [shown] : [])));
  };
  const soon = () => {
    frame ||= requestAnimationFrame(draw);
  };
  draw();
  const observer = new MutationObserver(soon);
  observer.observe(content, { childList: true, characterData: true, subtree: true });
  return () => {
    observer.disconnect();
    cancelAnimationFrame(frame);
    CSS.highlights.delete(ALL);
    CSS.highlights.delete(CURRENT);
  };
}

const SETTLED_FRAMES = 6;
const PATIENCE_FRAMES = 600;

/** A long message is higher than the page: once it is there and at rest, its words themselves have to be seen. */
function bringIntoView(
  scroller: HTMLElement,
  content: HTMLElement,
  words: readonly string[],
  place: Place,
): () => void {
  let left = PATIENCE_FRAMES;
  let calm = 0;
  const look = () => {
    const row = content.querySelector(`[data-key="${CSS.escape(place.key)}"]`);
    calm = row ? calm + 1 : 0;
    if (calm < SETTLED_FRAMES && --left > 0) frame = requestAnimationFrame(look);
    else if (row) centre(scroller, placeIn(rangesIn(row, words), place));
  };
  let frame = requestAnimationFrame(look);
  return () => cancelAnimationFrame(frame);
}

/** What is drawn may have fewer places than the text: the address of a link is not shown. */
function placeIn(ranges: readonly Range[], place: Place | null): Range | undefined {
  return ranges[Math.min(place?.at ?? 0, ranges.length - 1)];
}

function isSameRange(a: Range, b: Range): boolean {
  return a.startContainer === b.startContainer && a.startOffset === b.startOffset;
}

function centre(scroller: HTMLElement, range: Range | undefined): void {
  if (!range) return;
  const page = scroller.getBoundingClientRect();
  const { top, bottom } = range.getBoundingClientRect();
  if (top >= page.top + BAR && bottom <= page.bottom) return;
  scroller.scrollTop += top - page.top - page.height / 2;
}

function rangesIn(row: Element, words: readonly string[]): Range[] {
  const places = [...row.querySelectorAll('[data-words], .prose-parley')];
  return places.flatMap((place) => textsIn(place).flatMap((node) => toRanges(node, words)));
}

function textsIn(place: Element): Text[] {
  const walker = document.createTreeWalker(place, NodeFilter.SHOW_TEXT);
  const texts: Text[] = [];
  while (walker.nextNode()) texts.push(walker.currentNode as Text);
  return texts;
}

function toRanges(node: Text, words: readonly string[]): Range[] {
  return spansIn(node.data, words).map(({ start, end }) => {
    const range = new Range();
    range.setStart(node, start);
    range.setEnd(node, end);
    return range;
  });
}
