import { strFromU8, unzipSync } from 'fflate';
import { ExtractFailure } from './protocol.ts';
import { readXml, type XmlHandler } from './xml.ts';

const DOCUMENT = 'word/document.xml';
const STYLES = 'word/styles.xml';
const NOTES = ['word/footnotes.xml', 'word/endnotes.xml'];
/** Of one part of the file, unpacked. */
const MOST_PART_BYTES = 200_000_000;

/** What a Word document says, as Markdown: its headings, paragraphs, list items and tables. */
export function docxMarkdown(bytes: Uint8Array): string {
  const parts = unzip(bytes);
  const document = parts[DOCUMENT];
  if (!document) throw new ExtractFailure('unreadable');
  const styles = parts[STYLES] ? headingStyles(strFromU8(parts[STYLES])) : new Map<string, number>();
  const texts = [document, ...NOTES.flatMap((name) => parts[name] ?? [])];
  return texts.map((part) => readBody(strFromU8(part), styles)).join('\n\n');
}

/** Only what is needed, and none of it larger than it says: what a part unpacks to is bounded before it is unpacked. */
function unzip(bytes: Uint8Array): Record<string, Uint8Array> {
  const wanted = new Set([DOCUMENT, STYLES, ...NOTES]);
  const filter = ({ name, originalSize }: { name: string; originalSize: number }) => {
    if (!wanted.has(name)) return false;
    if (originalSize > MOST_PART_BYTES) throw new ExtractFailure('too_much_memory');
    return true;
  };
  try {
    return unzipSync(bytes, { filter });
  } catch (error) {
    throw error instanceof ExtractFailure ? error : new ExtractFailure('unreadable');
  }
}

/** The styles of headings, with their levels: names differ between languages, what a style is called in English does not. */
function headingStyles(xml: string): Map<string, number> {
  const styles = new Map<string, number>();
  let style = '';
  readXml(xml, {
    open: (name, attributes) => {
      if (name === 'w:style') style = attributes.get('w:styleId') ?? '';
      const value = attributes.get('w:val') ?? '';
      const named = name === 'w:name' ? /^heading ([1-6])$/i.exec(value)?.[1] : undefined;
      if (named) styles.set(style, Number(named));
      if (name === 'w:name' && /^title$/i.test(value)) styles.set(style, 1);
      if (name === 'w:outlineLvl' && Number(value) < 6 && !styles.has(style)) styles.set(style, Number(value) + 1);
    },
    close: () => undefined,
    text: () => undefined,
  });
  return styles;
}

function readBody(xml: string, styles: ReadonlyMap<string, number>): string {
  const body = new BodyReader(styles);
  readXml(xml, body);
  return body.markdown();
}

/** Text that was deleted, instructions of fields, and what stands twice for older programs. */
const LEFT_OUT = new Set(['w:del', 'w:instrText', 'w:delText', 'mc:Fallback', 'w:moveFrom']);

class BodyReader implements XmlHandler {
  readonly #styles: ReadonlyMap<string, number>;
  readonly #lines: string[] = [];
  #paragraph: string[] = [];
  #prefix = '';
  #isText = false;
  #leftOut = 0;
  /** The cells of the row that is being read; null outside of tables. Tables inside of tables become part of a cell. */
  #cells: string[] | null = null;
  #tables = 0;

  constructor(styles: ReadonlyMap<string, number>) {
    this.#styles = styles;
  }

  markdown(): string {
    return this.#lines.join('\n');
  }

  open(name: string, attributes: ReadonlyMap<string, string>): void {
    if (LEFT_OUT.has(name)) this.#leftOut += 1;
    else if (name === 'w:t') this.#isText = true;
    else if (name === 'w:tab') this.#say('\t');
    else if (name === 'w:br' || name === 'w:cr') this.#say('\n');
    else if (name === 'w:pStyle') this.#prefix = this.#headingOf(attributes.get('w:val')) || this.#prefix;
    else if (name === 'w:numPr') this.#prefix ||= '- ';
    else if (name === 'w:tbl') this.#tables += 1;
    else if (name === 'w:tr' && this.#tables === 1) this.#cells = [];
    else if (name === 'w:tc' && this.#tables === 1) this.#cells?.push('');
  }

  close(name: string): void {
    if (LEFT_OUT.has(name)) this.#leftOut = Math.max(0, this.#leftOut - 1);
    else if (name === 'w:t') this.#isText = false;
    else if (name === 'w:p') this.#endParagraph();
    else if (name === 'w:tr' && this.#tables === 1) this.#endRow();
    else if (name === 'w:tbl') this.#endTable();
  }

  text(text: string): void {
    if (this.#isText) this.#say(text);
  }

  #say(text: string): void {
    if (this.#leftOut === 0) this.#paragraph.push(text);
  }

  #headingOf(style: string | undefined): string {
    const level = this.#styles.get(style ?? '');
    return level === undefined ? '' : `${'#'.repeat(level)} `;
  }

  #endParagraph(): void {
    const text = this.#paragraph.join('').trim();
    if (this.#cells && this.#cells.length > 0) this.#addToCell(text.replaceAll('\n', ' '));
    else if (text !== '') this.#lines.push(this.#prefix + (this.#prefix ? text.replaceAll('\n', ' ') : text), '');
    this.#paragraph = [];
    this.#prefix = '';
  }

  #addToCell(text: string): void {
    const cells = this.#cells!;
    const before = cells.pop() ?? '';
    // Not joined as an array, which would copy all that the cell holds with each paragraph.
    cells.push(before === '' || text === '' ? before + text : `${before} ${text}`);
  }

  #endRow(): void {
    this.#lines.push(`| ${(this.#cells ?? []).join(' | ')} |`);
    this.#cells = null;
  }

  #endTable(): void {
    this.#tables -= 1;
    if (this.#tables === 0) this.#lines.push('');
  }
}
