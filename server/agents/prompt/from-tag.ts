import { Fences } from './fences.ts';

/**
 * `<from agent="NAME">…</from>` tells a model who said something. Only the server writes it: the same characters in
 * anyone's text are neutralised in the request, and a model that repeats the tag has it taken out of its answer.
 */
export function tagFrom(agent: string, text: string): string {
  return `<from agent="${escapeName(agent)}">${neutralise(text)}</from>`;
}

/**
 * The tag with which an agent gave work to another, as it may have written it: made for a request from what was stored.
 * What reads tags in answers would read the task out of it again.
 */
export function tagDelegate(to: string, task: string): string {
  const plain = neutralise(task.replace(ENTITY, '&amp;').replace(HIDES, '&lt;'));
  return `<delegate to="${escapeName(to)}">${plain}</delegate>`;
}

/**
 * Makes what looks like one of our tags into plain text, for a request; storage keeps what was said. A model reads over
 * blanks, case, width and invisible characters, so none of them makes a difference here.
 */
export function neutralise(text: string): string {
  return BRACKET_LIKE.test(text) ? text.replace(LOOKS_LIKE_TAG, '&lt;') : text;
}

const BRACKET_LIKE = /[<＜﹤‹〈⟨]/;
const INVISIBLE = String.raw`[\p{Cf}\p{Mn}\p{Default_Ignorable_Code_Point}]*`;
const LOOKS_LIKE_TAG = new RegExp(
  String.raw`[<＜﹤‹〈⟨](?=[\s\p{Cf}\p{Mn}\p{Default_Ignorable_Code_Point}/／⁄∕]*(?:${spelled('from')}|${spelled('delegate')})${INVISIBLE}(?![\p{L}\p{N}_]))`,
  'giu',
);

/** A word as a pattern: each letter also in full width, with invisible characters between them. */
function spelled(word: string): string {
  const wide = (letter: string) => String.fromCharCode(letter.charCodeAt(0) + 0xfee0);
  return Array.from(word, (letter) => `[${letter}${wide(letter)}]`).join(INVISIBLE);
}

/** What hides the end of the tag from what reads tags in answers, unless it ends before. */
const HIDES = /<(?=!--|!\[CDATA\[|(?:blockquote|q|pre|code|samp)[\s/>])/gi;

const ENTITY = /&(?=(?:amp|lt|gt|quot);)/g;

function escapeName(name: string): string {
  return name.replace(/[&"<>＜﹤‹〈⟨]/g, (character) => `&#${character.charCodeAt(0)};`);
}

const OPENING = /<from agent="[^"<>]{0,256}">/iy;
const CLOSING = '</from>';
const LONGEST_OPENING = '<from agent="">'.length + 256;
/** White space that may follow a last closing tag. */
const LONGEST_END = 1000;

/** Takes echoed tags out of a whole text: the reference for the streaming form below. */
export function stripFromTags(text: string): string {
  const filter = new FromTagFilter();
  return filter.push(text) + filter.end();
}

/**
 * The same, for text that arrives in pieces cut anywhere. A closing tag goes when an opening one went before it, or when
 * it is all that is left of an answer; other people's XML stays whole. Code, fenced or inline, is left as it is: inside
 * a line, everything after backticks that are not closed yet counts as code. Holds back at most one possible tag and
 * what it may tear apart, and a last closing tag; linear in the text.
 */
export class FromTagFilter {
  readonly #code = new CodeState();
  #held = '';
  #open = 0;
  /** `<from` was written in some other form: closing tags may belong to it. */
  #foreign = false;

  push(piece: string): string {
    return this.#scan(this.#held + piece, false);
  }

  end(): string {
    return this.#scan(this.#held, true);
  }

  #scan(text: string, isEnd: boolean): string {
    this.#held = '';
    let out = '';
    let at = 0;
    for (;;) {
      const bracket = text.indexOf('<', at);
      const plain = text.slice(at, bracket < 0 ? text.length : bracket);
      this.#code.read(plain);
      out += plain;
      if (bracket < 0) return out;
      const found = this.#readBracket(text, bracket, isEnd);
      if (found === 'unfinished') {
        this.#held = text.slice(bracket);
        return out;
      }
      this.#open += found.opens;
      this.#code.read(found.shown);
      out += found.shown;
      at = bracket + found.length;
    }
  }

  #readBracket(text: string, at: number, isEnd: boolean): Found | 'unfinished' {
    if (this.#code.inside) return BRACKET;
    const found =
      this.#tagAt(text, at, isEnd) ?? this.#lastClosing(text, at, isEnd) ?? this.#bracketAt(text, at, isEnd);
    if (found !== 'unfinished' && found.shown !== '' && FOREIGN.test(text.slice(at, at + 6))) this.#foreign = true;
    return found;
  }

  #tagAt(text: string, at: number, isEnd: boolean): Found | 'unfinished' | null {
    if (this.#open > 0 && isClosing(text, at)) return { length: CLOSING.length, shown: '', opens: -1 };
    OPENING.lastIndex = at;
    const opening = OPENING.exec(text);
    if (opening) return { length: opening[0].length, shown: '', opens: 1 };
    return !isEnd && this.#mayBecomeTag(text.slice(at, at + LONGEST_OPENING)) ? 'unfinished' : null;
  }

  #mayBecomeTag(tail: string): boolean {
    if (this.#open > 0 && beginsClosing(tail)) return true;
    return POSSIBLE_OPENING.test(tail) && tail.length < LONGEST_OPENING;
  }

  /** A closing tag that nothing opened, and after which nothing comes. */
  #lastClosing(text: string, at: number, isEnd: boolean): Found | 'unfinished' | null {
    if (this.#open > 0 || this.#foreign) return null;
    const tail = text.slice(at, at + CLOSING.length + LONGEST_END + 1);
    const mayBeLast = isClosing(text, at) ? tail.slice(CLOSING.length).trim() === '' : !isEnd && beginsClosing(tail);
    if (!mayBeLast || tail.length > CLOSING.length + LONGEST_END) return null;
    return isEnd ? { length: tail.length, shown: tail.slice(CLOSING.length), opens: 0 } : 'unfinished';
  }

  /** Not a tag. Where one was put inside the beginning of another, taking it out must not complete the other. */
  #bracketAt(text: string, at: number, isEnd: boolean): Found | 'unfinished' {
    const next = text.indexOf('<', at + 1);
    const beginning = next < 0 ? '' : text.slice(at, Math.min(next, at + LONGEST_OPENING));
    if (!POSSIBLE_OPENING.test(beginning)) return BRACKET;
    const inside = this.#tagAt(text, next, isEnd);
    if (inside === 'unfinished') return 'unfinished';
    return inside ? { ...BRACKET, shown: '< ' } : BRACKET;
  }
}

/** Follows shown text and knows whether what comes next is code. */
class CodeState {
  readonly #fences = new Fences();
  /** Backticks that opened inline code in this line, and those that are being read. */
  #opened = 0;
  #run = 0;

  get inside(): boolean {
    if (this.#fences.inside || this.#fences.mayOpen) return true;
    const closes = this.#opened > 0 && this.#run === this.#opened;
    return this.#opened > 0 ? !closes : this.#run > 0;
  }

  read(text: string): void {
    for (let index = this.#skip(text, 0); index < text.length; index = this.#skip(text, index + 1)) {
      const code = text.charCodeAt(index);
      this.#fences.step(code);
      if (code === TICK) this.#run += 1;
      else this.#endRun(code === NEWLINE || code === RETURN);
    }
  }

  #endRun(isLineEnd: boolean): void {
    if (this.#run > 0 && this.#opened === 0) this.#opened = this.#run;
    else if (this.#run === this.#opened) this.#opened = 0;
    this.#run = 0;
    if (isLineEnd) this.#opened = 0;
  }

  /** To the next character that can matter. */
  #skip(text: string, index: number): number {
    if (this.#run > 0 || !this.#fences.isPlain) return index;
    MATTERS.lastIndex = index;
    return MATTERS.exec(text)?.index ?? text.length;
  }
}

const [NEWLINE, RETURN, TICK] = [10, 13, 96];
const MATTERS = /[`\r\n]/g;

interface Found {
  length: number;
  /** What is said in its place. */
  shown: string;
  opens: -1 | 0 | 1;
}

const BRACKET: Found = { length: 1, shown: '<', opens: 0 };
const FOREIGN = /^<from\b/i;

function isClosing(text: string, at: number): boolean {
  return text.slice(at, at + CLOSING.length).toLowerCase() === CLOSING;
}

function beginsClosing(tail: string): boolean {
  return tail.length < CLOSING.length && CLOSING.startsWith(tail.toLowerCase());
}

const POSSIBLE_OPENING = /^<(f(r(o(m( (a(g(e(n(t(=("([^"<>]{0,256}"?)?)?)?)?)?)?)?)?)?)?)?)?)?$/i;
