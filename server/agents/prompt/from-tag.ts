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
  return `<delegate to="${escapeName(to)}">${neutralise(task.replace(ENTITY, '&amp;'))}</delegate>`;
}

/** Makes what looks like one of our tags into plain text, for a request; storage keeps what was said. */
export function neutralise(text: string): string {
  return text.includes('<') ? text.replace(LOOKS_LIKE_TAG, '&lt;') : text;
}

const LOOKS_LIKE_TAG = /<(?=[\s/]{0,8}(?:from|delegate)\b)/gi;
const ENTITY = /&(?=(?:amp|lt|gt|quot);)/g;

function escapeName(name: string): string {
  return name.replace(/[&"<>]/g, (character) => `&#${character.charCodeAt(0)};`);
}

const OPENING = /<from agent="[^"<>]{0,256}">/y;
const CLOSING = '</from>';
const LONGEST_OPENING = '<from agent="">'.length + 256;

/** Takes echoed tags out of a whole text: the reference for the streaming form below. */
export function stripFromTags(text: string): string {
  const filter = new FromTagFilter();
  return filter.push(text) + filter.end();
}

/**
 * The same, for text that arrives in pieces cut anywhere. A closing tag goes only when an opening one went before it, so
 * other people's XML stays whole. Holds back at most one possible tag and what it may tear apart; linear in the text.
 */
export class FromTagFilter {
  #held = '';
  #open = 0;

  push(piece: string): string {
    const text = this.#held + piece;
    if (!text.includes('<')) {
      this.#held = '';
      return text;
    }
    return this.#scan(text);
  }

  end(): string {
    const rest = this.#held;
    this.#held = '';
    return rest;
  }

  #scan(text: string): string {
    let out = '';
    let at = 0;
    for (;;) {
      const bracket = text.indexOf('<', at);
      if (bracket < 0) break;
      out += text.slice(at, bracket);
      const found = this.#tagAt(text, bracket) ?? this.#bracketAt(text, bracket);
      if (found === 'unfinished') {
        this.#held = text.slice(bracket);
        return out;
      }
      this.#open += found.opens;
      out += found.shown;
      at = bracket + found.length;
    }
    this.#held = '';
    return out + text.slice(at);
  }

  #tagAt(text: string, at: number): Found | 'unfinished' | null {
    if (this.#open > 0 && text.startsWith(CLOSING, at)) return { length: CLOSING.length, shown: '', opens: -1 };
    OPENING.lastIndex = at;
    const opening = OPENING.exec(text);
    if (opening) return { length: opening[0].length, shown: '', opens: 1 };
    return this.#mayBecomeTag(text.slice(at, at + LONGEST_OPENING)) ? 'unfinished' : null;
  }

  #mayBecomeTag(tail: string): boolean {
    if (this.#open > 0 && CLOSING.startsWith(tail)) return true;
    return POSSIBLE_OPENING.test(tail) && tail.length < LONGEST_OPENING;
  }

  /** Not a tag. Where one was put inside the beginning of another, taking it out must not complete the other. */
  #bracketAt(text: string, at: number): Found | 'unfinished' {
    const next = text.indexOf('<', at + 1);
    const beginning = next < 0 ? '' : text.slice(at, Math.min(next, at + LONGEST_OPENING));
    if (!POSSIBLE_OPENING.test(beginning)) return BRACKET;
    const inside = this.#tagAt(text, next);
    if (inside === 'unfinished') return 'unfinished';
    return inside ? { ...BRACKET, shown: '< ' } : BRACKET;
  }
}

interface Found {
  length: number;
  /** What is said in its place. */
  shown: string;
  opens: -1 | 0 | 1;
}

const BRACKET: Found = { length: 1, shown: '<', opens: 0 };

const POSSIBLE_OPENING = /^<(f(r(o(m( (a(g(e(n(t(=("([^"<>]{0,256}"?)?)?)?)?)?)?)?)?)?)?)?)?)?$/;
