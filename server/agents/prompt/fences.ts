const LONGEST_INFO = 1000;
const [TAB, NEWLINE, RETURN, SPACE, DASH, GREATER, TICK, TILDE] = [9, 10, 13, 32, 45, 62, 96, 126];
/** What may stand before a fence in a line: indentation, quotation marks, marks of lists. */
/** What begins an item of a list. */
const LIST_MARKS = new Set(Array.from('*+-0123456789', (character) => character.charCodeAt(0)));
const BEFORE_FENCE = new Set(Array.from(' \t>*+-.)0123456789', (character) => character.charCodeAt(0)));

/**
 * `maybe`: what is read from here on belongs to a fence, unless a `no` follows; `opens`: it does, or tildes opened one.
 * `blank`: the paragraph is over.
 */
export type FenceSign = 'maybe' | 'no' | 'opens' | 'blank';

interface Fence {
  mark: number;
  size: number;
  columns: number;
  quoted: boolean;
}

/** Follows lines, character by character, and knows which are fenced code. */
export class Fences {
  #open: Fence | null = null;
  #part: 'start' | 'marks' | 'opening' | 'trail' | 'rest' = 'start';
  #columns = 0;
  #quoted = false;
  #blank = true;
  /** Columns of blanks before anything else in the line. */
  #indent = 0;
  /** Whether the line before lets indented code begin or go on. */
  #mayIndent = true;
  #isIndentedCode = false;
  /** A quotation mark that is not the end of an arrow or of a comment. */
  #isQuote = false;
  #before = 0;
  #mark = 0;
  #count = 0;
  #info = 0;
  #maybe = false;
  #afterReturn = false;

  get inside(): boolean {
    return this.#open !== null;
  }

  /** Whether the line, as far as it was read, is a quotation or indented code. */
  get isQuotation(): boolean {
    return this.#isQuote || this.#isIndentedCode;
  }

  /** Nothing but the end of the line can matter. */
  get isPlain(): boolean {
    return this.#part === 'rest' && !this.#maybe;
  }

  step(code: number): FenceSign | undefined {
    const isSecondHalf = code === NEWLINE && this.#afterReturn;
    this.#afterReturn = code === RETURN;
    if (isSecondHalf) return undefined;
    if (code === NEWLINE || code === RETURN) return this.#endLine();
    return this.#open ? this.#readInside(code, this.#open) : this.#readOutside(code);
  }

  /** Whether the text, if it ended here, would end in a fence that was only just begun. */
  get mayOpen(): boolean {
    return this.#maybe;
  }

  #endLine(): FenceSign | undefined {
    const isWords = !this.#open && !(this.#part === 'start' && this.#blank) && !this.#isIndentedCode;
    const sign = this.#open ? this.#closeIfClosing(this.#open) : this.#openIfOpening();
    this.#mayIndent = !isWords || this.#open !== null;
    this.#isIndentedCode = this.#isQuote = false;
    this.#indent = this.#before = 0;
    this.#part = 'start';
    this.#columns = this.#count = this.#info = 0;
    this.#quoted = this.#maybe = false;
    this.#blank = true;
    return sign;
  }

  #openIfOpening(): FenceSign | undefined {
    if (this.#maybe) return this.#begin();
    return this.#part === 'start' && this.#blank ? 'blank' : undefined;
  }

  #begin(): FenceSign {
    this.#open = { mark: this.#mark, size: this.#count, columns: this.#columns, quoted: this.#quoted };
    this.#maybe = false;
    return 'opens';
  }

  #closeIfClosing({ size, columns }: Fence): undefined {
    const isMark = this.#part === 'marks' || this.#part === 'trail';
    if (isMark && this.#count >= size && this.#columns <= columns + 3) this.#open = null;
  }

  #readOutside(code: number): FenceSign | undefined {
    if (this.#part === 'start') return this.#readPrefix(code);
    if (this.#part === 'marks' && code === this.#mark) return this.#readMark();
    this.#part = 'rest';
    return this.#maybe ? this.#readInfo(code) : undefined;
  }

  #readPrefix(code: number): undefined {
    this.#readIndent(code);
    if (code === TICK || code === TILDE) this.#beginMarks(code);
    else if (!BEFORE_FENCE.has(code)) this.#part = 'rest';
    else {
      this.#columns += code === TAB ? 4 : 1;
      this.#quoted ||= code === GREATER;
      this.#isQuote ||= code === GREATER && this.#before !== DASH;
      this.#before = code;
      this.#blank &&= code === SPACE || code === TAB || code === GREATER;
    }
  }

  #readIndent(code: number): void {
    if (this.#indent !== this.#columns) return;
    if (code === SPACE || code === TAB) this.#indent += code === TAB ? 4 : 1;
    else this.#isIndentedCode = this.#indent >= 4 && this.#mayIndent && !LIST_MARKS.has(code) && code !== GREATER;
  }

  #beginMarks(mark: number): void {
    this.#part = 'marks';
    this.#mark = mark;
    this.#count = 1;
  }

  #readMark(): FenceSign | undefined {
    this.#count += 1;
    if (this.#count !== 3) return undefined;
    if (this.#mark === TILDE) {
      this.#part = 'opening';
      return this.#begin();
    }
    this.#maybe = true;
    return 'maybe';
  }

  /** Backticks open a fence only when none follow in their line. */
  #readInfo(code: number): FenceSign | undefined {
    if (code !== TICK) return ++this.#info > LONGEST_INFO ? this.#begin() : undefined;
    this.#maybe = false;
    return 'no';
  }

  #readInside(code: number, fence: Fence): undefined {
    const isBlank = code === SPACE || code === TAB;
    if (this.#part === 'opening' && code === fence.mark) fence.size += 1;
    else if (this.#part === 'start' && (isBlank || (fence.quoted && code === GREATER)))
      this.#columns += code === TAB ? 4 : 1;
    else if (this.#part === 'start' && code === fence.mark) this.#beginMarks(code);
    else if (this.#part === 'marks' && code === fence.mark) this.#count += 1;
    else this.#part = isBlank && (this.#part === 'marks' || this.#part === 'trail') ? 'trail' : 'rest';
  }
}
