import type { MarkedOptions, Token, Tokens } from 'marked';

/** TeX as it was written (`raw`) and without what begins and ends it. */
export interface FormulaToken {
  readonly type: 'formula';
  readonly raw: string;
  readonly tex: string;
  readonly isDisplay: boolean;
}

/** A longer one is text: it would take long to draw, and is hardly meant as a formula. */
const LONGEST_INLINE = 1_000;
const LONGEST_DISPLAY = 4_000;
const BLANK_LINE = /\n[ \t]*\n/;

const BLOCK_OPENING = /^ {0,3}(\$\$|\\\[|\\begin\{(?:equation|align|alignat|gather|multline)\*?\})/;
const BLOCK_OPENING_IN_PARAGRAPH = new RegExp(`\\n${BLOCK_OPENING.source.slice(1)}`);

/**
 * How formulas are written: `$…$` and `\(…\)` within a line, `$$…$$` and `\[…\]` also on lines of their own, environments
 * such as `\begin{equation}…\end{equation}` only there.
 */
export const MATH_SYNTAX: NonNullable<MarkedOptions['extensions']> = {
  renderers: {},
  childTokens: {},
  block: [(src) => blockFormula(src)],
  inline: [(src, tokens) => inlineFormula(src, tokens)],
  startBlock: [(src) => startOfBlock(src)],
  startInline: [(src) => startOfInline(src)],
};

/**
 * On lines of its own, up to the end of the paragraph at most. One that has not ended yet, at the end of the text, is one
 * block of plain text: a line of it may begin with a minus and is no list.
 */
function blockFormula(src: string): Tokens.Generic | undefined {
  const open = BLOCK_OPENING.exec(src);
  if (!open) return undefined;
  const [before, mark] = open as unknown as [string, string];
  const window = src.slice(0, LONGEST_DISPLAY + before.length + closing(mark).length + 2);
  const end = window.indexOf(closing(mark), before.length);
  if (end !== -1) return wholeBlock(window, mark, before.length, end);
  return window.length === src.length && !BLANK_LINE.test(src) ? asText(src) : undefined;
}

/** Only when nothing else follows in its last line. */
function wholeBlock(src: string, mark: string, start: number, end: number): Tokens.Generic | undefined {
  const after = end + closing(mark).length;
  const rest = /^[ \t]*(?:\n|$)/.exec(src.slice(after));
  const inner = src.slice(start, end).trim();
  if (!rest || inner === '' || BLANK_LINE.test(inner)) return undefined;
  const tex = mark.startsWith('\\begin') ? src.slice(start - mark.length, after) : inner;
  return formula(src.slice(0, after) + rest[0], tex, true);
}

function asText(src: string): Tokens.Generic {
  return { type: 'paragraph', raw: src, text: src, tokens: [{ type: 'text', raw: src, text: src, escaped: false }] };
}

function inlineFormula(src: string, tokens: readonly Token[]): Tokens.Generic | undefined {
  const [mark] = /^(?:\$\$?|\\\(|\\\[)/.exec(src) ?? [];
  if (mark === undefined) return undefined;
  const end = endOfInline(src.slice(0, LONGEST_INLINE + 4), mark);
  if (end === -1) return undefined;
  const tex = src.slice(mark.length, end);
  const raw = src.slice(0, end + mark.length);
  if (tex.trim() === '' || tex.includes('\n\n')) return undefined;
  if (mark === '$' && !isMeantAsFormula(tex, tokens.at(-1)?.raw.at(-1) ?? '', src.charAt(raw.length))) return undefined;
  return formula(raw, tex.trim(), mark === '$$' || mark === '\\[');
}

/** Formulas are not nested: one that begins again before it has ended is none, and is searched no further. */
function endOfInline(src: string, mark: string): number {
  const end = closing(mark);
  if (end === mark) return src.indexOf(end, mark.length);
  for (const { 0: command, index } of src.slice(mark.length).matchAll(/\\[\s\S]/g)) {
    if (command === mark) return -1;
    if (command === end) return mark.length + index;
  }
  return -1;
}

/** Dollars are prices and shell variables far more often than formulas. */
function isMeantAsFormula(tex: string, before: string, after: string): boolean {
  if (/^\s|\s$|\n/.test(tex) || /[\p{L}\p{N}$\\]/u.test(before) || /[\p{L}\p{N}$]/u.test(after)) return false;
  if (tex.includes('\\')) return true;
  const hasWords = /\p{L}{2,}[^\p{L}]+\p{L}{2,}/u.test(tex) || /^[\d.,]+\s*[^\d\s.,+\-*/^_=<>()a-z]/i.test(tex);
  return !hasWords && !/^[\d.,]+\s+\p{L}{2,}/u.test(tex);
}

function formula(raw: string, tex: string, isDisplay: boolean): FormulaToken & Tokens.Generic {
  return { type: 'formula', raw, tex, isDisplay };
}

function closing(mark: string): string {
  if (mark.startsWith('\\begin')) return mark.replace('begin', 'end');
  return mark === '\\(' ? '\\)' : mark === '\\[' ? '\\]' : mark;
}

/** Where a formula may interrupt a paragraph. Looks no further than the paragraph goes, and not far. */
function startOfBlock(src: string): number | undefined {
  const near = src.slice(0, LONGEST_DISPLAY);
  const blank = near.indexOf('\n\n');
  const at = (blank === -1 ? near : near.slice(0, blank)).search(BLOCK_OPENING_IN_PARAGRAPH);
  return at !== -1 && blockFormula(src.slice(at + 1)) ? at + 1 : undefined;
}

function startOfInline(src: string): number | undefined {
  const at = src.search(/\$|\\[([]/);
  return at === -1 ? undefined : at;
}
