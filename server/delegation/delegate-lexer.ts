import { AgentId } from '../../contract/names.ts';
import { Fences } from '../agents/prompt/fences.ts';

/** Places count from the beginning of the text. */
export interface OpenTag {
  readonly kind: 'open';
  readonly start: number;
  readonly end: number;
  /** Null when it only looks like one. */
  readonly to: string | null;
  /** In a quotation or in indented code. */
  readonly quoted: boolean;
}

export interface CloseTag {
  readonly kind: 'close';
  readonly start: number;
  readonly end: number;
  readonly quoted: boolean;
}

export interface TickRun {
  readonly kind: 'run';
  readonly start: number;
  readonly length: number;
}

/** The beginning or the end of a comment, of a CDATA section, or of an HTML element that quotes or shows code. */
export interface Hiding {
  readonly kind: 'hide' | 'show';
  readonly start: number;
  readonly section: 'comment' | 'cdata' | (typeof QUOTING)[number];
  readonly quoted: boolean;
}

export type Tag = OpenTag | CloseTag | Hiding;
export type Token = Tag | TickRun | { readonly kind: 'break' };

const QUOTING = ['blockquote', 'q', 'pre', 'code', 'samp'] as const;
const OPENING = '<delegate';
const CLOSING = '</delegate>';
const SECTIONS: ReadonlyMap<string, Pick<Hiding, 'kind' | 'section'>> = new Map([
  ['<!--', { kind: 'hide', section: 'comment' }],
  ['-->', { kind: 'show', section: 'comment' }],
  ['<![CDATA[', { kind: 'hide', section: 'cdata' }],
  [']]>', { kind: 'show', section: 'cdata' }],
]);
/** Without the end of the tag: it may have attributes, and upper and lower case are alike. */
const ELEMENTS = new Map<string, Pick<Hiding, 'kind' | 'section'>>([
  ...QUOTING.map((section) => [`<${section}`, { kind: 'hide', section }] as const),
  ...QUOTING.map((section) => [`</${section}`, { kind: 'show', section }] as const),
]);
const MARKS = [OPENING, CLOSING, ...SECTIONS.keys()];
const ELEMENT_MARKS = [...ELEMENTS.keys()];
const LONGEST_OPENING = 256;
const WHOLE_OPENING = /^<delegate[ \t]+to[ \t]*=[ \t]*(?:"([^"]*)"|'([^']*)')[ \t]*>$/;
const AFTER_NAME = ' \t\r\n/>';
const SPECIAL = /[<`\r\n\-\]]/g;
const TICK = 96;
const BREAK = { kind: 'break' } as const;
const NONE: readonly Token[] = [];

/**
 * Finds tags, backticks and the ends of paragraphs outside fenced code, in text cut anywhere. Looks at every character
 * once and remembers no more than the beginning of one tag and what one line may yet make of it.
 */
export class TagLexer {
  readonly #fences = new Fences();
  #at = 0;
  #tokens: Token[] = [];
  #run = 0;
  #tag = '';
  /** The tag that is being read is in a quotation or in indented code. */
  #isQuoted = false;
  /** What was found in a line that may be the first of a fence. */
  #waiting: Token[] | null = null;
  #waitingFrom = Number.POSITIVE_INFINITY;

  /** What begins before this place was told already. */
  get undecidedFrom(): number {
    const first = this.#waiting?.[0] as TickRun | undefined;
    return first?.start ?? this.#at - this.#tag.length - this.#run;
  }

  /** The first place that may turn out to be an opening tag. */
  get holdFrom(): number {
    const mayOpen = this.#tag !== '' && !this.#isQuoted && (this.#tag === '<' || this.#tag[1] === 'd');
    const tagFrom = mayOpen ? this.#at - this.#tag.length : Number.POSITIVE_INFINITY;
    return Math.min(tagFrom, this.#waitingFrom);
  }

  push(piece: string): readonly Token[] {
    for (let index = this.#skip(piece, 0); index < piece.length; index = this.#skip(piece, index + 1)) {
      this.#read(piece.charCodeAt(index));
      this.#at += 1;
    }
    return this.#take();
  }

  end(): readonly Token[] {
    this.#endTag();
    this.#endRun();
    if (this.#fences.mayOpen) this.#forgetLine();
    else this.#commit();
    this.#tokens.push(BREAK);
    return this.#take();
  }

  #take(): readonly Token[] {
    if (this.#tokens.length === 0) return NONE;
    const tokens = this.#tokens;
    this.#tokens = [];
    return tokens;
  }

  /** To the next character that can matter. */
  #skip(piece: string, index: number): number {
    if (this.#run > 0 || this.#tag !== '' || !this.#fences.isPlain) return index;
    SPECIAL.lastIndex = index;
    const next = SPECIAL.exec(piece)?.index ?? piece.length;
    this.#at += next - index;
    return next;
  }

  #read(code: number): void {
    const wasInside = this.#fences.inside;
    const sign = this.#fences.step(code);
    if (wasInside) return;
    if (code === TICK) this.#readTick(sign === 'no');
    else {
      this.#endRun();
      this.#readTag(String.fromCharCode(code));
    }
    if (sign === 'maybe') this.#waiting = [];
    if (sign === 'opens') this.#forgetLine();
    if (sign === 'opens' || sign === 'blank') this.#tokens.push(BREAK);
  }

  #readTick(isNoFence: boolean): void {
    this.#endTag();
    if (isNoFence) this.#commit();
    this.#run += 1;
  }

  #endRun(): void {
    if (this.#run > 0) this.#emit({ kind: 'run', start: this.#at - this.#run, length: this.#run });
    this.#run = 0;
  }

  #emit(token: Token): void {
    if (this.#waiting && token.kind === 'open' && token.to !== null)
      this.#waitingFrom = Math.min(this.#waitingFrom, token.start);
    (this.#waiting ?? this.#tokens).push(token);
  }

  /** The line is no fence: what was found in it counts. */
  #commit(): void {
    for (const token of this.#waiting ?? []) this.#tokens.push(token);
    this.#waiting = null;
    this.#waitingFrom = Number.POSITIVE_INFINITY;
  }

  #forgetLine(): void {
    this.#waiting = null;
    this.#waitingFrom = Number.POSITIVE_INFINITY;
    this.#tag = '';
    this.#run = 0;
  }

  #readTag(character: string): void {
    const tag = this.#tag + character;
    if (this.#tag.startsWith(OPENING)) this.#readAttributes(tag, character);
    else if (tag === CLOSING) this.#closeTag();
    else if (SECTIONS.has(tag)) this.#endSection(SECTIONS.get(tag)!, tag.length - 1);
    else if (this.#isElement(character)) this.#readElement(character);
    else if (isBeginning(tag)) this.#keep(tag);
    // Of more dashes or brackets than it takes, the last ones count.
    else if (tag === '---' || tag === ']]]') this.#tag = tag.slice(1);
    else this.#begin(character);
  }

  #begin(character: string): void {
    this.#tag = '';
    if (character === '<' || character === '-' || character === ']') this.#keep(character);
  }

  #keep(tag: string): void {
    if (this.#tag === '') this.#isQuoted = this.#fences.isQuotation;
    this.#tag = tag;
  }

  #closeTag(): void {
    this.#emit({ kind: 'close', start: this.#at + 1 - CLOSING.length, end: this.#at + 1, quoted: this.#isQuoted });
    this.#tag = '';
  }

  #endSection(section: Pick<Hiding, 'kind' | 'section'>, before: number): void {
    this.#emit({ ...section, start: this.#at - before, quoted: this.#isQuoted });
    this.#tag = '';
  }

  /** Whether the name of an element that quotes has just ended. */
  #isElement(character: string): boolean {
    return AFTER_NAME.includes(character) && ELEMENTS.has(this.#tag.toLowerCase());
  }

  #readElement(character: string): void {
    this.#endSection(ELEMENTS.get(this.#tag.toLowerCase())!, this.#tag.length);
    this.#begin(character);
  }

  #readAttributes(tag: string, character: string): void {
    const isOther = this.#tag === OPENING && !AFTER_NAME.includes(character);
    const isBroken = tag.length > LONGEST_OPENING || '<\r\n'.includes(character);
    if (!isOther && !isBroken && character !== '>') {
      this.#tag = tag;
      return;
    }
    if (!isOther) this.#openTag(isBroken ? null : recipient(tag), tag.length - 1);
    for (const mark of ['-->', ']]>'])
      if (!isOther && tag.endsWith(mark)) this.#endSection(SECTIONS.get(mark)!, mark.length - 1);
    this.#begin(character);
  }

  #openTag(to: string | null, before: number): void {
    const quoted = this.#isQuoted;
    this.#emit({ kind: 'open', start: this.#at - before, end: this.#at + 1, to: quoted ? null : to, quoted });
  }

  /** A backtick, or the end of the text, has cut it off. */
  #endTag(): void {
    if (this.#tag.startsWith(OPENING) && this.#tag !== OPENING) this.#openTag(null, this.#tag.length);
    this.#tag = '';
  }
}

/** Whether a mark may begin with it. */
function isBeginning(tag: string): boolean {
  if (MARKS.some((mark) => mark.startsWith(tag))) return true;
  const lower = tag.toLowerCase();
  return ELEMENT_MARKS.some((mark) => mark.startsWith(lower));
}

function recipient(opening: string): string | null {
  const match = WHOLE_OPENING.exec(opening);
  const name = match?.[1] ?? match?.[2] ?? '';
  return AgentId.safeParse(name).success ? name : null;
}
