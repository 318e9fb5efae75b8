/**
 * `<from agent="NAME">…</from>` tells a model who said something. Only the server writes it: the same characters in
 * anyone's text are neutralised in the request, and a model that repeats the tag has it taken out of its answer.
 */
export function tagFrom(agent: string, text: string): string {
  return `<from agent="${escapeName(agent)}">${neutralise(text)}</from>`;
}

/** Makes what looks like the tag into plain text, for a request; storage keeps what was said. */
export function neutralise(text: string): string {
  return text.includes('<') ? text.replace(LOOKS_LIKE_TAG, '&lt;') : text;
}

const LOOKS_LIKE_TAG = /<(?=[\s/]{0,8}from\b)/gi;

function escapeName(name: string): string {
  return name.replace(/[&"<>]/g, (character) => `&#${character.charCodeAt(0)};`);
}

const OPENING = /<from agent="[^"<>]{0,256}">/g;
const CLOSING = '</from>';
const LONGEST_OPENING = '<from agent="">'.length + 256;

/** Takes echoed tags out of a whole text: the reference for the streaming form below. */
export function stripFromTags(text: string): string {
  const filter = new FromTagFilter();
  return filter.push(text) + filter.end();
}

/**
 * The same, for text that arrives in pieces cut anywhere. A closing tag goes only when an opening one went before it, so
 * other people's XML stays whole. Holds back at most one possible tag; linear in the text.
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
      const length = this.#tagAt(text, bracket);
      if (length === 'unfinished') {
        this.#held = text.slice(bracket);
        return out;
      }
      if (length === 0) out += '<';
      at = bracket + Math.max(length, 1);
    }
    this.#held = '';
    return out + text.slice(at);
  }

  #tagAt(text: string, at: number): number | 'unfinished' {
    if (text.startsWith(CLOSING, at) && this.#open > 0) {
      this.#open -= 1;
      return CLOSING.length;
    }
    OPENING.lastIndex = at;
    const opening = OPENING.exec(text.slice(0, at + LONGEST_OPENING));
    if (opening?.index === at) {
      this.#open += 1;
      return opening[0].length;
    }
    return this.#mayBecomeTag(text.slice(at, at + LONGEST_OPENING)) ? 'unfinished' : 0;
  }

  #mayBecomeTag(tail: string): boolean {
    if (this.#open > 0 && CLOSING.startsWith(tail)) return true;
    return POSSIBLE_OPENING.test(tail) && tail.length < LONGEST_OPENING;
  }
}

const POSSIBLE_OPENING = /^<(f(r(o(m( (a(g(e(n(t(=("([^"<>]{0,256}"?)?)?)?)?)?)?)?)?)?)?)?)?)?$/;
