/** Line ends between two paragraphs. After the sign of an item or a heading, too, so that nothing comes between. */
const ENOUGH = 2;

/** Text that is being written piece by piece: white space collapses, paragraphs are a blank line apart. */
export class PlainText {
  #pieces: string[] = [];
  #isCode = false;
  #needsSpace = false;
  /** How many line ends stand at the end; a beginning counts as enough of them. */
  #lines = ENOUGH;

  get length(): number {
    return this.#pieces.length;
  }

  between(from: number, to: number): string {
    const lines = this.#pieces.slice(from, to).join('').split('\n');
    return lines
      .map((line) => line.trimEnd())
      .join('\n')
      .trim();
  }

  say(text: string): void {
    if (this.#isCode) this.#add(text);
    else this.#sayWords(text.replace(/\s+/g, ' '));
  }

  line(beginning = ''): void {
    this.#breakTo(1);
    this.#add(beginning, ENOUGH);
  }

  paragraph(beginning = ''): void {
    this.#breakTo(ENOUGH);
    this.#add(beginning, ENOUGH);
  }

  rule(): void {
    this.paragraph();
    this.#add('---');
    this.paragraph();
  }

  cell(): void {
    if (this.#lines === 0) this.#add(' | ');
    this.#needsSpace = false;
  }

  beginCode(): void {
    this.paragraph('```\n');
    this.#isCode = true;
  }

  endCode(): void {
    if (!this.#isCode) return;
    this.#isCode = false;
    this.#breakTo(1);
    this.#add('```');
    this.paragraph();
  }

  /** Makes what was said since then a link; nothing that was said is none. */
  link(from: number, target: string): void {
    const said = this.#pieces.slice(from).join('');
    const text = said.trim();
    if (text === '' || this.#isCode) return;
    const before = said.slice(0, said.length - said.trimStart().length);
    this.#pieces.length = from;
    this.#add(`${before}[${text.replace(/\s+/g, ' ')}](${target})`);
  }

  #sayWords(words: string): void {
    if (words.startsWith(' ')) this.#needsSpace = true;
    const text = words.trim();
    if (text === '') return;
    this.#add(this.#needsSpace && this.#lines === 0 ? ` ${text}` : text);
    this.#needsSpace = words.endsWith(' ');
  }

  #breakTo(lines: number): void {
    this.#needsSpace = false;
    if (this.#isCode) return;
    while (this.#lines < lines) this.#add('\n', this.#lines + 1);
  }

  #add(text: string, lines?: number): void {
    if (text === '') return;
    this.#pieces.push(text);
    this.#lines = lines ?? (text.endsWith('\n') ? 1 : 0);
  }
}
