export interface KeyPress {
  key: string;
  ctrlKey: boolean;
  metaKey: boolean;
  shiftKey: boolean;
  altKey: boolean;
}

export type Intent =
  | { kind: 'step'; by: 1 | -1; selecting: boolean }
  | { kind: 'page'; by: 1 | -1 }
  | { kind: 'edge'; at: 'first' | 'last' }
  | { kind: 'in' }
  | { kind: 'out' }
  | { kind: 'open' }
  | { kind: 'rename' }
  | { kind: 'delete' }
  | { kind: 'pin' }
  | { kind: 'archive' }
  | { kind: 'new' }
  | { kind: 'select' }
  | { kind: 'selectAll' }
  | { kind: 'unselect' }
  | { kind: 'menu' }
  | { kind: 'shift'; by: 1 | -1 }
  | { kind: 'type'; letter: string };

/**
 * What a key means in the list. A letter that begins a word is a command where there is one; while a word is being
 * typed, every letter belongs to it.
 */
export function intentOf(press: KeyPress, typing: boolean): Intent | null {
  if (press.altKey) return altered(press);
  if (press.ctrlKey || press.metaKey) return isLetter(press, 'a') ? { kind: 'selectAll' } : null;
  if (press.key.length === 1) return letter(press.key, typing);
  return named(press);
}

/** Keys of the whole app: they are left alone unless a word is being typed. */
const ELSEWHERE = new Set(['g', '?', '/', '[', ']']);

function letter(key: string, typing: boolean): Intent | null {
  if (typing) return { kind: 'type', letter: key };
  switch (key.toLowerCase()) {
    case ' ':
    case 'x':
      return { kind: 'select' };
    case 'p':
      return { kind: 'pin' };
    case 'e':
      return { kind: 'archive' };
    case 'c':
      return { kind: 'new' };
    default:
      return ELSEWHERE.has(key.toLowerCase()) ? null : { kind: 'type', letter: key };
  }
}

function named({ key, shiftKey }: KeyPress): Intent | null {
  switch (key) {
    case 'ArrowDown':
      return { kind: 'step', by: 1, selecting: shiftKey };
    case 'ArrowUp':
      return { kind: 'step', by: -1, selecting: shiftKey };
    case 'PageDown':
      return { kind: 'page', by: 1 };
    case 'PageUp':
      return { kind: 'page', by: -1 };
    case 'Home':
      return { kind: 'edge', at: 'first' };
    case 'End':
      return { kind: 'edge', at: 'last' };
    case 'F10':
      return shiftKey ? { kind: 'menu' } : null;
    default:
      return PLAIN[key] ?? null;
  }
}

const PLAIN: Readonly<Record<string, Intent>> = {
  ArrowRight: { kind: 'in' },
  ArrowLeft: { kind: 'out' },
  Enter: { kind: 'open' },
  F2: { kind: 'rename' },
  Delete: { kind: 'delete' },
  Backspace: { kind: 'delete' },
  Escape: { kind: 'unselect' },
  ContextMenu: { kind: 'menu' },
};

function altered({ key, ctrlKey, metaKey }: KeyPress): Intent | null {
  if (ctrlKey || metaKey) return null;
  if (key === 'ArrowDown') return { kind: 'shift', by: 1 };
  return key === 'ArrowUp' ? { kind: 'shift', by: -1 } : null;
}

function isLetter({ key, shiftKey, altKey }: KeyPress, wanted: string): boolean {
  return key.toLowerCase() === wanted && !shiftKey && !altKey;
}

const PAUSE_MS = 700;

/** Letters typed in quick succession are one word. */
export class Typeahead {
  #word = '';
  #at = Number.NEGATIVE_INFINITY;

  isTyping(now: number): boolean {
    return this.#word !== '' && now - this.#at < PAUSE_MS;
  }

  /** The word so far. */
  type(letter: string, now: number): string {
    this.#word = this.isTyping(now) ? this.#word + letter : letter;
    this.#at = now;
    return this.#word;
  }
}

/** The next label that begins with the word, from the current one on and around; a repeated letter steps onward. */
export function findLabel(labels: readonly string[], current: number, word: string): number | null {
  const isRepeated = new Set(word.toLowerCase()).size === 1;
  const wanted = (isRepeated ? word.slice(0, 1) : word).toLowerCase();
  const first = isRepeated || word.length === 1 ? current + 1 : current;
  for (let step = 0; step < labels.length; step += 1) {
    const index = (first + step) % labels.length;
    if (labels[index]!.toLowerCase().startsWith(wanted)) return index;
  }
  return null;
}
