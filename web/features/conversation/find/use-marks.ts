import { type RefObject, useEffect } from 'react';
import { type Place, spansIn } from './hits.ts';
import type { Find } from './use-find.ts';

const ALL = 'found';
const CURRENT = 'found-current';
/** The box itself lies over the top of the page. */
const BAR = 48;

/**
 * Marks what was found, by the browser's own highlights: nothing in the page is changed for it. Where there are
 * none, the message is marked all the same.
 */
export function useMarks(
  scroller: RefObject<HTMLElement | null>,
  content: RefObject<HTMLElement | null>,
  { phrase, hits, current }: Find,
): void {
  useEffect(() => {
    if (phrase === '' || !content.current || !CSS.highlights) return;
    return keepMarked(content.current, phrase, new Set(hits.map(({ key }) => key)), current);
  }, [content, phrase, hits, current]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each place that is shown
  useEffect(() => {
    if (current === null || !scroller.current || !content.current) return;
    return bringIntoView(scroller.current, content.current, phrase, current);
  }, [current?.key, current?.at]);
}

function keepMarked(
  content: HTMLElement,
  phrase: string,
  keys: ReadonlySet<string>,
  current: Place | null,
): () => void {
  let frame = 0;
  const draw = () => {
    frame = 0;
    const rows = [...content.querySelectorAll<HTMLElement>('[data-key]')];
    const found = rows.filter(({ dataset }) => keys.has(dataset.key ?? ''));
    const here = found.find(({ dataset }) => dataset.key === current?.key);
    const shown = here && placeIn(rangesIn(here, phrase), current);
    const ranges = found.flatMap((row) => rangesIn(row, phrase));
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
function bringIntoView(scroller: HTMLElement, content: HTMLElement, phrase: string, place: Place): () => void {
  let left = PATIENCE_FRAMES;
  let calm = 0;
  const look = () => {
    const row = content.querySelector(`[data-key="${CSS.escape(place.key)}"]`);
    calm = row ? calm + 1 : 0;
    if (calm < SETTLED_FRAMES && --left > 0) frame = requestAnimationFrame(look);
    else if (row) centre(scroller, placeIn(rangesIn(row, phrase), place));
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

/** A phrase may go on from plain into bold words, but not from one paragraph into the next. */
const BLOCK = 'p, li, td, th, pre, h2, h3, h4, h5, h6, .formula-display, [data-words], .prose-parley';

function rangesIn(row: Element, phrase: string): Range[] {
  const places = [...row.querySelectorAll('[data-words], .prose-parley')];
  return places.flatMap((place) => blocksIn(place).flatMap((texts) => toRanges(texts, phrase)));
}

/** The texts of each block. Of a formula, its source is looked through and its drawing is lit. */
function blocksIn(place: Element): Text[][] {
  const walker = document.createTreeWalker(place, NodeFilter.SHOW_TEXT);
  const blocks: Text[][] = [];
  let last: Element | null = null;
  while (walker.nextNode()) {
    const node = walker.currentNode as Text;
    if (node.parentElement!.closest('.formula-drawing')) continue;
    const block = node.parentElement!.closest(BLOCK);
    if (block !== last) blocks.push([]);
    blocks.at(-1)!.push(node);
    last = block;
  }
  return blocks;
}

function toRanges(texts: readonly Text[], phrase: string): Range[] {
  const whole = texts.map(({ data }) => data).join('');
  return spansIn(whole, phrase).map(({ start, end }) => {
    const range = new Range();
    const [first, from] = nodeAt(texts, start);
    const [last, before] = nodeAt(texts, end - 1);
    range.setStart(first, from);
    range.setEnd(last, before + 1);
    return drawnInstead(first) ?? range;
  });
}

function nodeAt(texts: readonly Text[], place: number): [Text, number] {
  let start = 0;
  for (const node of texts) {
    if (place < start + node.length) return [node, place - start];
    start += node.length;
  }
  throw new RangeError(`No text at ${place}`);
}

function drawnInstead(node: Text): Range | null {
  const drawing = node.parentElement!.closest('.formula-source')?.parentElement?.querySelector('.formula-drawing');
  if (!drawing) return null;
  const range = new Range();
  range.selectNodeContents(drawing);
  return range;
}
