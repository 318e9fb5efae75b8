import { AgentId } from '../../contract/names.ts';

/** What `DelegateTagFilter` does, on the whole text and as simply as it can be said. */
export function reference(
  text: string,
  longest = 100_000,
): { text: string; delegations: { to: string; task: string }[] } {
  const wholes = pairsIn(text, longest);
  const delegations = wholes.filter((one) => isDelegation(one) && wholes.every((other) => areApart(one, other)));
  let shown = '';
  let at = 0;
  for (const { start, end } of delegations) {
    shown += text.slice(at, start);
    at = end;
  }
  return {
    text: shown + text.slice(at),
    delegations: delegations.map(({ to, task }) => ({ to, task: decoded(task) })),
  };
}

interface Pair {
  start: number;
  end: number;
  to: string;
  task: string;
}

function isDelegation({ to, task }: Pair): boolean {
  return AgentId.safeParse(to).success && task !== '';
}

function areApart(one: Pair, other: Pair): boolean {
  return one === other || one.end <= other.start || other.end <= one.start;
}

function decoded(task: string): string {
  return task
    .split('&amp;')
    .map((piece) => piece.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"'))
    .join('&');
}

/** Every closing with the nearest opening before it that is still open, in the order of the openings. */
function pairsIn(text: string, longest: number): Pair[] {
  const { code, quoted } = codeIn(text, longest);
  const marks = marksIn(text).filter(({ index }) => !code[index]);
  const tags = outsideSections(marks.filter(({ 0: mark, index }) => mark.includes('delegate') || !quoted[index]));
  let openInQuotation = 0;
  const open: number[] = [];
  const pairs: Pair[] = [];
  for (const tag of tags) {
    if (quoted[tag.index] && tag[0] === '<delegate') openInQuotation += 1;
    else if (quoted[tag.index] && openInQuotation > 0) openInQuotation -= 1;
    else if (tag[0] === '<delegate') open.push(tag.index);
    else {
      const start = open.pop();
      if (start === undefined) continue;
      if (tag.index - start > longest) open.length = 0;
      else pairs.push(pairOf(text, start, tag.index));
    }
  }
  return pairs.sort((a, b) => a.start - b.start);
}

interface Mark {
  readonly 0: string;
  readonly index: number;
}

/** Marks in order. One that ends a section may end an opening, too: it is read after it. */
function marksIn(text: string): Mark[] {
  const marks: Mark[] = [];
  const pattern =
    /<delegate(?=[ \t\r\n/>])|<\/delegate>|<!--|-->|<!\[CDATA\[|\]\]>|<\/?(?:blockquote|q|pre|code|samp)(?=[ \t\r\n/>])/gi;
  for (let found = pattern.exec(text); found; found = pattern.exec(text))
    if (/^<\/?(?:blockquote|q|pre|code|samp)$/i.test(found[0]))
      marks.push({ 0: found[0].toLowerCase(), index: found.index });
    else if (found[0] === found[0].replace(/delegate/i, 'delegate').replace(/cdata/i, 'CDATA')) marks.push(found);
  return marks;
}

function outsideSections(marks: readonly Mark[]): Mark[] {
  const ends: Record<string, string> = {
    '<!--': '-->',
    '<![CDATA[': ']]>',
    '<blockquote': '</blockquote',
    '<pre': '</pre',
    '<q': '</q',
    '<code': '</code',
    '<samp': '</samp',
  };
  const open: string[] = [];
  return marks.filter(({ 0: mark }) => {
    const [end] = open;
    if (mark === end) open.pop();
    else if (ends[mark] !== undefined && (end === undefined || (ends[mark] === end && end.startsWith('</'))))
      open.push(ends[mark]);
    return open.length === 0 && mark.includes('delegate');
  });
}

function pairOf(text: string, start: number, closing: number): Pair {
  const inside = text.slice(start, closing);
  const opening = /^<delegate[ \t]+to[ \t]*=[ \t]*("[^"]*"|'[^']*')[ \t]*>/.exec(inside);
  const isWhole = opening !== null && opening[0].length <= 256;
  return {
    start,
    end: closing + '</delegate>'.length,
    to: isWhole ? opening[1]!.slice(1, -1) : '',
    task: isWhole ? inside.slice(opening[0].length).trim() : '',
  };
}

interface Fence {
  mark: string;
  columns: number;
  quoted: boolean;
}

/** For every character whether it is code, and whether it is in a quotation or in indented code. */
function codeIn(text: string, longest: number): { code: boolean[]; quoted: boolean[] } {
  const code: boolean[] = Array(text.length).fill(false);
  const paragraph: number[] = [];
  const quoted: boolean[] = Array(text.length).fill(false);
  let fence: Fence | null = null;
  let mayIndent = true;
  for (const line of linesOf(text)) {
    const opening: Fence | null = fence ? null : openingFence(line.text);
    if (fence || opening) code.fill(true, line.start, line.end);
    if (fence && closes(line.text, fence)) fence = null;
    else if (opening) fence = opening;
    const isInFence = code[line.start];
    const isBlank = !/[^ \t>]/.test(line.text);
    const isIndented: boolean = !isInFence && mayIndent && /^(?:[ ]{4}| {0,3}\t)[ \t]*[^ \t*+>0-9-]/.test(line.text);
    const isQuoted = !isInFence && /^[ \t>*+.)0-9-]*?(?<!-)>/.test(line.text);
    if (isIndented || isQuoted) quoted.fill(true, line.start, line.end);
    mayIndent = isBlank || isIndented || !!isInFence;
    const isWords = !fence && !code[line.start] && !isBlank;
    if (isWords) for (let at = line.start; at < line.end; at++) paragraph.push(at);
    else markSpans(text, paragraph.splice(0), code, longest);
  }
  markSpans(text, paragraph, code, longest);
  return { code, quoted };
}

/** With the end of the line as a part of it. */
function linesOf(text: string): { text: string; start: number; end: number }[] {
  return [...text.matchAll(/([^\r\n]*)(\r\n|\r|\n|$)/g)].map(({ 0: whole, 1: words, index }) => ({
    text: words!,
    start: index,
    end: index + whole.length,
  }));
}

function openingFence(line: string): Fence | null {
  const match = /^([ \t>*+.)0-9-]*)(```+|~~~+)(.*)$/su.exec(line);
  if (!match) return null;
  const [, before = '', mark = '', info = ''] = match;
  if (mark.startsWith('`') && info.slice(0, 1001).includes('`')) return null;
  return { mark, columns: columnsOf(before), quoted: before.includes('>') };
}

function closes(line: string, fence: Fence): boolean {
  const match = /^([ \t>]*)(```+|~~~+)[ \t]*$/.exec(line);
  if (!match) return false;
  const [, before = '', mark = ''] = match;
  if (before.includes('>') && !fence.quoted) return false;
  return mark.startsWith(fence.mark) && columnsOf(before) <= fence.columns + 3;
}

function columnsOf(before: string): number {
  return before.replaceAll('\t', '    ').length;
}

function markSpans(text: string, paragraph: number[], code: boolean[], longest: number): void {
  const [first = 0] = paragraph;
  const runs = [...text.slice(first, first + paragraph.length).matchAll(/`+/g)].map((run) => ({
    length: run[0].length,
    start: first + run.index,
  }));
  for (let at = 0; at < runs.length; at++) {
    const opener = runs[at]!;
    const closer = runs.findIndex((run, index) => index > at && run.length === opener.length);
    if (closer < 0 || runs[closer]!.start - opener.start > longest) continue;
    code.fill(true, opener.start, runs[closer]!.start + opener.length);
    at = closer;
  }
}
