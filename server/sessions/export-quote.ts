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

function fence(text: string): string {
  const longest = Math.max(2, ...Array.from(text.matchAll(/`+/g), (run) => run[0].length));
  const marks = '`'.repeat(longest + 1);
  return `${marks}\n${text}\n${marks}`;
}

const TAG = /<(?:[A-Za-z][A-Za-z0-9-]*(?=[\s/>]|$)|[/!?])/;
const FENCE_LIKE = /^[\s>*+\-\d.)]*(?:```|~~~)/;
const OPENING = /^(?<marks>`{3,}|~{3,})(?<info>.*)$/;

/**
 * True when in doubt. Fences are trusted only where they begin their line, since there every viewer sees them alike;
 * anything that may be a fence elsewhere makes the whole text doubtful.
 */
function holdsHtml(text: string): boolean {
  if (!TAG.test(text)) return false;
  let closing: RegExp | undefined;
  // Only these two end a line in Markdown.
  for (const line of text.split(/\r\n|[\n\r]/)) {
    if (closing) {
      if (closing.test(line)) closing = undefined;
      continue;
    }
    const opening = OPENING.exec(line)?.groups;
    if (opening && !opening.info!.includes('`')) closing = closingOf(opening.marks!);
    else if (opening || FENCE_LIKE.test(line) || TAG.test(line)) return true;
  }
  return false;
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
