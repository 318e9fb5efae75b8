import type { DelegationRequest } from '../agents/agent.ts';
import { CodeSpans } from './code-spans.ts';
import { type CloseTag, type Hiding, type OpenTag, type Tag, TagLexer, type Token } from './delegate-lexer.ts';

/** The longest inline code and the longest tag, and with them how much text can ever wait. */
const LONGEST = 100_000;

/** Takes the delegations out of a whole text. */
export function readDelegateTags(text: string): { text: string; delegations: DelegationRequest[] } {
  const filter = new DelegateTagFilter();
  const shown = filter.push(text) + filter.end();
  return { text: shown, delegations: filter.take() };
}

/**
 * Takes `<delegate to="agent-name">what to do</delegate>` out of an answer that arrives in pieces cut anywhere, and
 * gives everything else exactly as it came. These are the rules:
 *
 * - Code is never read. A fence is three or more backticks or tildes at the beginning of a line, after nothing but
 *   indentation and the marks of lists and quotations, until a line with at least as many, indented by at most three
 *   more, or the end of the text; backticks open one only when none follow within their line (or its next thousand
 *   characters). Inline code goes from backticks to as many backticks, within a paragraph and within 100,000
 *   characters; backticks that are not closed are text. Paragraphs end at blank lines and fences.
 * - Quotations, indented code, comments and CDATA sections are not read either, except for the closing tag of a
 *   delegation whose task ends in a quotation. A line is a quotation when `>` is among
 *   the marks it begins with, other than in `->`; it is indented code when it begins with four or more blanks, does not go on as a list, and
 *   follows a blank line, a fence or indented code. `<!--` hides everything up to `-->`, `<![CDATA[` up to `]]>`,
 *   `<blockquote>` and `<pre>` everything up to their own end, or to the end of the text; in code and quotations these
 *   marks are text.
 * - An opening has exactly one attribute, `to`, in double or single quotes, with spaces and tabs where XML has them,
 *   and names an agent as an `AgentId`; it has at most 256 characters. Anything else that begins `<delegate` and is not
 *   another word only looks like one. `</delegate>` closes the nearest opening, look-alikes included, at most 100,000
 *   characters before it.
 * - What is opened and closed in this way is a delegation, unless it holds another such pair, is held by one, or has
 *   nothing in it but white space. Everything else is text.
 * - A task is what is between the tags, without the white space around it; `&lt;` `&gt;` `&quot;` `&amp;` stand for the
 *   characters.
 *
 * Text is shown at once: only from a possible opening on does it wait, until that is known to be text or has come to
 * its end. The time is linear in the text, however it is cut, and what is kept is bounded.
 */
export class DelegateTagFilter {
  readonly #longest: number;
  readonly #spans: CodeSpans;
  readonly #lexer = new TagLexer();
  readonly #openings = new Openings();
  /** Whole tags that are delegations unless something closes around them. */
  #cuts: Cut[] = [];
  #found: DelegationRequest[] = [];
  /** The section that is being passed over, and in how many of its kind that is. */
  #hidden: Hiding['section'] | null = null;
  #hiddenDepth = 0;
  /** Openings in quotations that are not closed there. */
  #quoted = 0;
  /** What was not shown yet, and where it begins. */
  #held = '';
  #from = 0;

  constructor(longest = LONGEST) {
    this.#longest = longest;
    this.#spans = new CodeSpans(longest);
  }

  /** What may be shown now. */
  push(piece: string): string {
    this.#held += piece;
    for (const token of this.#lexer.push(piece)) this.#read(token);
    const { undecidedFrom } = this.#lexer;
    this.#matchAll(this.#spans.settle(undecidedFrom - this.#longest));
    this.#openings.expire(Math.min(undecidedFrom, this.#spans.undecidedFrom) - this.#longest);
    return this.#show();
  }

  /** The rest. */
  end(): string {
    for (const token of this.#lexer.end()) this.#read(token);
    this.#openings.expire(Number.POSITIVE_INFINITY);
    return this.#show();
  }

  /** The delegations that were found since the last time. */
  take(): DelegationRequest[] {
    const found = this.#found;
    this.#found = [];
    return found;
  }

  #read(token: Token): void {
    if (token.kind === 'break') this.#matchAll(this.#spans.settle(Number.POSITIVE_INFINITY));
    else this.#matchAll(token.kind === 'run' ? this.#spans.addRun(token) : this.#spans.addTag(token));
  }

  #matchAll(tags: readonly Tag[]): void {
    for (const tag of tags) {
      this.#openings.expire(tag.start - this.#longest);
      if (this.#isText(tag)) continue;
      if (tag.kind === 'open') this.#openings.push(tag);
      else if (tag.kind === 'close') this.#close(tag);
    }
  }

  /** Whether a mark means nothing here; sections begin and end with those that do. */
  #isText(tag: Tag): boolean {
    if (tag.quoted && (tag.kind !== 'close' || this.#quoted > 0)) {
      if (!this.#hidden && tag.kind === 'open') this.#quoted += 1;
      if (!this.#hidden && tag.kind === 'close') this.#quoted -= 1;
      return true;
    }
    if (tag.kind === 'hide') this.#hide(tag.section);
    if (tag.kind === 'show' && this.#hidden === tag.section && --this.#hiddenDepth === 0) this.#hidden = null;
    return this.#hidden !== null;
  }

  /** Only elements hold others of their kind. */
  #hide(section: Hiding['section']): void {
    const isElement = section !== 'comment' && section !== 'cdata';
    if (this.#hidden === null) this.#hiddenDepth = 1;
    else if (this.#hidden === section && isElement) this.#hiddenDepth += 1;
    this.#hidden ??= section;
  }

  #close(closing: CloseTag): void {
    const opening = this.#openings.pop();
    if (!opening) return;
    if (opening.to !== null && !opening.nests) this.#cuts.push({ opening, closing, to: opening.to });
    else while (this.#cuts.length > 0 && this.#cuts.at(-1)!.opening.start > opening.start) this.#cuts.pop();
  }

  #show(): string {
    let shown = '';
    for (let cut = this.#cuts[0]; cut && cut.closing.end <= this.#openings.from; cut = this.#cuts[0]) {
      shown += this.#takeUntil(cut.opening.start) + this.#follow(cut);
      this.#cuts.shift();
    }
    return shown + this.#takeUntil(this.#holdFrom());
  }

  /** The tag itself, when there is nothing in it. */
  #follow({ opening, closing, to }: Cut): string {
    const source = this.#takeUntil(closing.end);
    const task = source.slice(opening.end - opening.start, closing.start - closing.end).trim();
    if (task === '') return source;
    this.#found.push({ to, task: decode(task) });
    return '';
  }

  #takeUntil(end: number): string {
    if (end <= this.#from) return '';
    const taken = this.#held.slice(0, end - this.#from);
    this.#held = this.#held.slice(taken.length);
    this.#from += taken.length;
    return taken;
  }

  #holdFrom(): number {
    const cutFrom = this.#cuts[0]?.opening.start ?? Number.POSITIVE_INFINITY;
    return Math.min(this.#openings.holdFrom, cutFrom, this.#spans.holdFrom, this.#lexer.holdFrom);
  }
}

interface Cut {
  readonly opening: OpenTag;
  readonly closing: CloseTag;
  readonly to: string;
}

interface Opening extends OpenTag {
  /** Something was opened and closed inside it. */
  nests: boolean;
}

/** What was opened and is not closed, outermost first. */
class Openings {
  readonly #open: Opening[] = [];
  /** Those before it can be no delegation any more. */
  #good = 0;

  /** Where the outermost begins. */
  get from(): number {
    return this.#open[0]?.start ?? Number.POSITIVE_INFINITY;
  }

  /** Where the outermost begins that may be a delegation. */
  get holdFrom(): number {
    return this.#open[this.#good]?.start ?? Number.POSITIVE_INFINITY;
  }

  push(tag: OpenTag): void {
    this.#open.push({ ...tag, nests: false });
    this.#pass();
  }

  pop(): Opening | undefined {
    const opening = this.#open.pop();
    const around = this.#open.at(-1);
    if (opening && around) around.nests = true;
    this.#good = Math.min(this.#good, this.#open.length);
    this.#pass();
    return opening;
  }

  /** What was opened before this place will not be closed any more. */
  expire(before: number): void {
    while (this.from < before) {
      this.#open.shift();
      this.#good = Math.max(0, this.#good - 1);
    }
    this.#pass();
  }

  #pass(): void {
    for (let one = this.#open[this.#good]; one && (one.to === null || one.nests); one = this.#open[this.#good])
      this.#good += 1;
  }
}

const ENTITIES: Readonly<Record<string, string>> = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"' };

function decode(task: string): string {
  return task.replace(/&(?:amp|lt|gt|quot);/g, (entity) => ENTITIES[entity]!);
}
