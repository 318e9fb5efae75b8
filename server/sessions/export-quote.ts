/** Every character that ends a line somewhere, not only the newline. */
const LINE_END = /\r\n|[\n\r\u0085\u2028\u2029\v\f]/g;

/**
 * Words as a quotation, every line marked: nothing inside can look like a line of ours, and what is left open inside
 * (code, lists, emphasis) ends with it. The words themselves stay as they are. Raw HTML is the one thing that reaches
 * beyond a quotation, in viewers that obey it; a text that holds some outside its own code is shown as code as a whole.
 */
export function quoteText(text: string): string {
  const shown = holdsHtml(text) ? fence(text) : text;
  return `> ${shown.replace(LINE_END, '$&> ')}\n\n`;
}

/** A text as it was said, unless something in it would be taken for our own or reach beyond it: then as a quotation. */
export function plainOrQuoted(text: string): string {
  return STRANGE_LINE_END.test(text) || holds(OURS, text) !== 'nothing' ? quoteText(text) : `${text}\n\n`;
}

function fence(text: string): string {
  let longest = 2;
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  const marks = '`'.repeat(longest + 1);
  return `${marks}\n${text}\n${marks}`;
}

/** Ends a line in some viewers only. */
const STRANGE_LINE_END = /[\u0085\u2028\u2029\v\f]/;
const TAG = /<(?:[A-Za-z][A-Za-z0-9-]*(?=[\s/>]|$)|[/!?])/;
const FENCE_LIKE = /^[\s>*+\-\d.)]*(?:```|~~~)/;
const OPENING = /^(?<marks>`{3,}|~{3,})(?<info>.*)$/;

/** First- and second-level headings, also underlined ones, and HTML. */
const OURS = new RegExp(`${TAG.source}|^[\\s>*+\\-\\d.)]*#{1,2}(?:\\s|$)|^[\\s>*+\\d.)]*(?:=+|-+)\\s*$`);

function holdsHtml(text: string): boolean {
  return TAG.test(text) && holds(TAG, text) === 'wanted';
}

/**
 * What a text holds outside its fenced code; `wanted` when in doubt. Fences are trusted only where they begin their
 * line, since there every viewer sees them alike; anything that may be a fence elsewhere makes the whole text doubtful.
 */
function holds(wanted: RegExp, text: string): 'wanted' | 'open fence' | 'nothing' {
  let closing: RegExp | undefined;
  // Only these two end a line in Markdown.
  for (const line of text.split(/\r\n|[\n\r]/)) {
    if (closing) {
      if (closing.test(line)) closing = undefined;
      continue;
    }
    const opening = OPENING.exec(line)?.groups;
    if (opening && !opening.info!.includes('`')) closing = closingOf(opening.marks!);
    else if (opening || FENCE_LIKE.test(line) || wanted.test(line)) return 'wanted';
  }
  return closing ? 'open fence' : 'nothing';
}

function closingOf(marks: string): RegExp {
  return new RegExp(`^ {0,3}\\${marks[0]}{${marks.length},}[ \\t]*$`);
}

/** A name or title as plain words on one line: nothing in it is read as Markdown. */
export function escapeInline(text: string): string {
  return text
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .replace(/[!"#$%&'()*+,./:;<=>?@[\\\]^_`{|}~-]/g, escapeMark);
}

/** Between letters these mean nothing to Markdown, and names of agents stay readable. */
function escapeMark(mark: string): string {
  return mark === '/' || mark === '-' || mark === '.' || mark === ',' ? mark : `\\${mark}`;
}
