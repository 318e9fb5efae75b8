/** A part ends at the first place that is certainly between two blocks, once it has this length, */
const ENOUGH = 2_000;
/** and at the next line end, wherever that is, once it has this one. */
const TOO_LONG = 12_000;

/**
 * Cuts a long text where blocks end, so that what reads it never sees much at once. Code keeps together; so does
 * everything else that is not longer than the limit.
 */
export function cutIntoParts(text: string): string[] {
  if (text.length <= ENOUGH) return [text];
  const parts: string[] = [];
  let start = 0;
  let fence = '';
  for (let line = 0; line < text.length; ) {
    const end = endOfLine(text, line);
    const length = end - start;
    const head = text.slice(line, Math.min(end, line + 80));
    fence = fenceAfter(fence, head);
    if (fence === '' && length > ENOUGH && (length > TOO_LONG || isBetweenBlocks(text, head, end))) {
      parts.push(text.slice(start, end));
      start = end;
    }
    line = end;
  }
  parts.push(text.slice(start));
  return parts.filter((part) => part !== '');
}

function endOfLine(text: string, from: number): number {
  const at = text.indexOf('\n', from);
  return at === -1 ? text.length : at + 1;
}

/** The marks of the code block that is open after this line. */
function fenceAfter(open: string, line: string): string {
  const marks = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
  if (marks === undefined) return open;
  if (open === '') return marks;
  return marks.startsWith(open) && /^[ `~]*\n?$/.test(line) ? '' : open;
}

/** A blank line, and after it something that cannot belong to a list or to indented code before it. */
function isBetweenBlocks(text: string, line: string, end: number): boolean {
  return line.trim() === '' && /[^\s\-*+\d]/.test(text.charAt(end));
}
