import { ExtractFailure, NO_PLACE, type PlacedLine } from './protocol.ts';

/** A piece of a page: words in one style, at a place. */
interface TextItem {
  readonly str: string;
  readonly hasEOL: boolean;
  readonly height: number;
  readonly transform: readonly number[];
}

/** The pages of a PDF as lines of text. Gives the number of pages at the end. */
export async function* pdfLines(bytes: Uint8Array, mostPages: number): AsyncGenerator<PlacedLine, number> {
  const document = await open(bytes);
  if (document.numPages > mostPages) throw new ExtractFailure('too_many_pages', document.numPages);
  for (let number = 1; number <= document.numPages; number++) {
    const page = await document.getPage(number);
    const { items } = await page.getTextContent();
    const place = { ...NO_PLACE, page: number };
    const fraction = number / document.numPages;
    for (const text of linesOf(items.filter((item) => 'str' in item))) yield { text, place, fraction };
    yield { text: '', place, fraction };
    page.cleanup();
  }
  return document.numPages;
}

async function open(data: Uint8Array) {
  const { getDocumentProxy } = await import('unpdf');
  try {
    return await getDocumentProxy(data, { verbosity: 0, stopAtErrors: false });
  } catch (error) {
    throw new ExtractFailure((error as Error).name === 'PasswordException' ? 'encrypted' : 'unreadable');
  }
}

/** Lines as they are printed, with an empty one between paragraphs; a word that is cut at the end of a line is joined. */
function* linesOf(items: readonly TextItem[]): Generator<string> {
  let line = '';
  let before: TextItem | undefined;
  for (const item of items) {
    if (line === '' && before && isFarBelow(before, item)) yield '';
    line += item.str;
    if (item.str.trim() !== '') before = item;
    if (!item.hasEOL) continue;
    if (/\p{L}-$/u.test(line)) line = line.slice(0, -1);
    else {
      yield line.trim();
      line = '';
    }
  }
  if (line !== '') yield line.trim();
}

function isFarBelow(one: TextItem, other: TextItem): boolean {
  const height = Math.max(one.height, other.height, 1);
  return Math.abs((one.transform[5] ?? 0) - (other.transform[5] ?? 0)) > height * 1.8;
}
