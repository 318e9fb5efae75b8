/** Like the server's index: letters, digits and private-use characters make words. */
const TOKEN = /[\p{L}\p{N}\p{Co}](?:[\p{L}\p{N}\p{Co}]|[\u0300-\u0331])*/gu;
const ACCENT = /[\u0300-\u036f]/g;
const MARKS = /\*\*|__|~~|[*`]/g;

export interface Span {
  readonly start: number;
  readonly end: number;
}

/** What is looked for, letter by letter; case and accents aside. Empty when it is nothing but space. */
export function phraseOf(query: string): string {
  return query.trim() === '' ? '' : fold(query);
}

/** For the server, which looks for words in their order. Null when there is no word in it. */
export function toQuery(phrase: string): string | null {
  const words = phrase.match(TOKEN);
  return words && `"${words.join(' ')}"*`;
}

/** Where the phrase stands in a text. */
export function spansIn(text: string, phrase: string): Span[] {
  if (phrase === '') return [];
  const folded = fold(text);
  if (!folded.includes(phrase)) return [];
  return spansOf(folded, phrase, folded.length === text.length ? null : originsIn(text));
}

/** How often a message shows the phrase. Marks of Markdown may stand in the middle of it and are not shown. */
export function placesIn(text: string, phrase: string): number {
  return spansIn(text, phrase).length || spansIn(text.replace(MARKS, ''), phrase).length;
}

function spansOf(folded: string, phrase: string, origins: readonly number[] | null): Span[] {
  const spans: Span[] = [];
  for (let at = folded.indexOf(phrase); at !== -1; at = folded.indexOf(phrase, at + phrase.length)) {
    const end = at + phrase.length;
    spans.push(origins ? { start: origins[at]!, end: origins[end]! } : { start: at, end });
  }
  return spans;
}

/** For every place in the folded text and for its end, the place in the text itself. An accent belongs to its letter. */
function originsIn(text: string): number[] {
  const origins: number[] = [];
  let at = 0;
  for (const letter of text) {
    for (let unit = fold(letter).length; unit > 0; unit--) origins.push(at);
    at += letter.length;
  }
  return [...origins, at];
}

function fold(text: string): string {
  return text.toLowerCase().normalize('NFD').replace(ACCENT, '').replaceAll('ς', 'σ').replace(/\s/g, ' ');
}
