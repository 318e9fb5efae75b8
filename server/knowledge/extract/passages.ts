import type { KnowledgePlace } from '../../../contract/knowledge.ts';
import type { FoundPassage, PlacedLine } from './protocol.ts';

/** A passage ends with the next paragraph once it is this long. */
const GOOD_LENGTH = 800;
const MOST_LENGTH = 1800;
/** One that is shorter goes on under the next heading. */
const LEAST_LENGTH = 200;

/** Cuts a text into passages: at pages and headings, else between paragraphs, else between lines, sentences or words. */
export async function* toPassages(
  lines: AsyncIterable<PlacedLine> | Iterable<PlacedLine>,
): AsyncGenerator<FoundPassage & { fraction: number }> {
  const passage = new PassageMaker();
  let fraction = 0;
  for await (const line of lines) {
    fraction = line.fraction;
    for (const piece of piecesOf(line.text)) {
      const done = passage.add(piece, line.place);
      if (done) yield { ...done, fraction };
    }
  }
  const last = passage.take();
  if (last) yield { ...last, fraction };
}

class PassageMaker {
  #lines: string[] = [];
  #length = 0;
  #first: KnowledgePlace | undefined;
  #last: KnowledgePlace | undefined;

  /** The passage that ends before this line, if one does. */
  add(text: string, place: KnowledgePlace): FoundPassage | null {
    const done = this.#endsBefore(text, place) ? this.take() : null;
    if (text.trim() !== '' || this.#length > 0) {
      this.#lines.push(text);
      this.#length += text.length + 1;
      this.#first ??= place;
      if (text.trim() !== '') this.#last = place;
    }
    return done;
  }

  take(): FoundPassage | null {
    const text = this.#lines.join('\n').trimEnd();
    const place = this.#first && withLines(this.#first, this.#last!);
    this.#lines = [];
    this.#length = 0;
    this.#first = undefined;
    return text === '' ? null : { text: text.replace(/^(?:[^\S\n]*\n)+/, ''), place: place! };
  }

  #endsBefore(text: string, place: KnowledgePlace): boolean {
    if (this.#last === undefined || this.#length === 0) return false;
    if (place.page !== this.#last.page) return true;
    if (this.#length + text.length > MOST_LENGTH) return true;
    if (text.trim() === '') return this.#length >= GOOD_LENGTH;
    return this.#length >= LEAST_LENGTH && !isSame(place.headings, this.#last.headings);
  }
}

function withLines(first: KnowledgePlace, last: KnowledgePlace): KnowledgePlace {
  if (first.lines === null || last.lines === null) return first;
  return { ...first, lines: [first.lines[0], last.lines[1]] };
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((heading, index) => heading === other[index]);
}

/** A line that is longer than a passage, in pieces. */
function* piecesOf(line: string): Generator<string> {
  let from = 0;
  while (line.length - from > MOST_LENGTH) {
    const to = endOfPiece(line, from);
    yield line.slice(from, to).trimEnd();
    from = to;
  }
  yield line.slice(from);
}

const SENTENCE_END = /[.!?。！？]["'”’）)]?(?:\s|(?<=[。！？]["'”’）)]?))/g;

function endOfPiece(line: string, from: number): number {
  const window = line.slice(from, from + MOST_LENGTH);
  const sentences = Array.from(window.matchAll(SENTENCE_END), ({ 0: end, index }) => index + end.length);
  const sentence = sentences.at(-1) ?? 0;
  if (sentence >= MOST_LENGTH / 2) return from + sentence;
  const space = window.lastIndexOf(' ') + 1;
  if (space >= MOST_LENGTH / 2) return from + space;
  const isInPair = /[\uD800-\uDBFF]$/.test(window);
  return from + MOST_LENGTH - (isInPair ? 1 : 0);
}
