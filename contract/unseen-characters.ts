/** A character that changes or hides what a person reads without being seen itself. */
export interface UnseenCharacter {
  /** Where it is in the text, and how many UTF-16 units it takes. */
  readonly index: number;
  readonly length: number;
  readonly codePoint: number;
  /** `U+202E` */
  readonly label: string;
}

/**
 * `exact`: commands, code, addresses, names of tools. Only what makes up an emoji is left alone.
 * `prose`: what people and models say. Also leaves alone what Arabic, Hebrew, Persian, Indic, Thai and braille text needs.
 */
export type KindOfText = 'exact' | 'prose';

/** Every character of a text that cannot be seen, in order. Takes time in proportion to the length of the text. */
export function findUnseenCharacters(text: string, kind: KindOfText = 'exact'): UnseenCharacter[] {
  if (!UNSEEN.test(text)) return [];
  const isNeeded = kind === 'prose' ? neededInProse(text) : () => false;
  const found: UnseenCharacter[] = [];
  for (const { 0: character, 1: unseen, index } of text.matchAll(EMOJI_OR_UNSEEN)) {
    if (unseen === undefined || isNeeded(character, index)) continue;
    const codePoint = character.codePointAt(0)!;
    found.push({ index, length: character.length, codePoint, label: labelOf(codePoint) });
  }
  return found;
}

/** The same text with each character that cannot be seen replaced by a visible mark, such as `⟨U+202E⟩`. */
export function markUnseenCharacters(text: string, kind: KindOfText = 'exact'): string {
  let marked = '';
  let end = 0;
  for (const { index, length, label } of findUnseenCharacters(text, kind)) {
    marked += `${text.slice(end, index)}⟨${label}⟩`;
    end = index + length;
  }
  return marked + text.slice(end);
}

/**
 * Why a text cannot be a name, which is shown as one line, as the end of a sentence that begins with the field; null
 * when it can.
 */
export function unseenInName(name: string): string | null {
  if (findUnseenCharacters(name, 'prose').length > 0) return 'must not contain invisible characters';
  return /[\n\r]/.test(name) ? 'must not contain line breaks' : null;
}

/** The same text without the characters that cannot be seen. */
export function withoutUnseenCharacters(text: string, kind: KindOfText = 'exact'): string {
  let kept = '';
  let end = 0;
  for (const { index, length } of findUnseenCharacters(text, kind)) {
    kept += text.slice(end, index);
    end = index + length;
  }
  return kept + text.slice(end);
}

function labelOf(codePoint: number): string {
  return `U+${codePoint.toString(16).toUpperCase().padStart(4, '0')}`;
}

/** Control characters except tab, line feed and the carriage return of a Windows line end. */
const CONTROLS = String.raw`\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f`;
const DIRECTION = String.raw`\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069`;
const ZERO_WIDTH = String.raw`\u00ad\u034f\u17b4\u17b5\u180e\u200b-\u200d\u2060-\u2065\u206a-\u206f\ufeff\ufff9-\ufffb`;
/** They take up room, or a line, and look like a space or like nothing. */
const BLANKS = String.raw`\u115f\u1160\u2028\u2029\u2800\u3164\uffa0`;
const VARIATIONS = String.raw`\u180b-\u180d\u180f\ufe00-\ufe0f\u{e0100}-\u{e01ef}`;
const TAGS = String.raw`\u{e0000}-\u{e007f}`;
const CLASS = String.raw`[${CONTROLS}${DIRECTION}${ZERO_WIDTH}${BLANKS}${VARIATIONS}${TAGS}]|\r(?!\n)`;
const UNSEEN = new RegExp(CLASS, 'u');

/** Whole emoji: flags of regions, keycaps, and pictures with a look, a skin tone and others joined to them. */
const REGION_FLAG = String.raw`\u{1f3f4}[\u{e0030}-\u{e0039}\u{e0061}-\u{e007a}]{3,6}\u{e007f}`;
const KEYCAP = String.raw`[#*0-9]\ufe0f\u20e3`;
const PICTURE = String.raw`\p{Extended_Pictographic}[\ufe0e\ufe0f]?\p{Emoji_Modifier}?`;
const EMOJI_OR_UNSEEN = new RegExp(
  String.raw`${REGION_FLAG}|${KEYCAP}|${PICTURE}(?:\u200d${PICTURE})*|(${CLASS})`,
  'gu',
);

const RIGHT_TO_LEFT = /(?=\p{L})[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;
const BRAILLE = /[\u2801-\u28ff]/;
/** Scripts in which a joiner decides how the letters next to it look. */
const JOINING =
  /[\p{scx=Arab}\p{scx=Syrc}\p{scx=Nkoo}\p{scx=Mong}\p{scx=Deva}\p{scx=Beng}\p{scx=Guru}\p{scx=Gujr}\p{scx=Orya}\p{scx=Taml}\p{scx=Telu}\p{scx=Knda}\p{scx=Mlym}\p{scx=Sinh}\p{scx=Khmr}\p{scx=Mymr}\p{scx=Tibt}]/u;
/** Scripts without spaces between words. */
const UNSPACED = /[\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\p{Script=Tibetan}]/u;

/** Whether a character belongs to the script around it. Looks at the character before it, or at its line. */
function neededInProse(text: string): (character: string, index: number) => boolean {
  const hasRightToLeft = lineHas(text, RIGHT_TO_LEFT);
  const hasBraille = lineHas(text, BRAILLE);
  return (character, index) => {
    switch (character) {
      case '\u200c':
      case '\u200d':
        return JOINING.test(characterBefore(text, index));
      case '\u200b':
        return UNSPACED.test(characterBefore(text, index));
      case '\u061c':
      case '\u200e':
      case '\u200f':
      case '\u034f':
        return hasRightToLeft(index);
      case '\u2800':
        return hasBraille(index);
      default:
        return false;
    }
  };
}

function characterBefore(text: string, index: number): string {
  const last = text.codePointAt(index - 2) ?? 0;
  return last > 0xffff ? String.fromCodePoint(last) : text.charAt(index - 1);
}

/** Asked with rising positions; each line is looked through once. */
function lineHas(text: string, wanted: RegExp): (index: number) => boolean {
  let end = -1;
  let has = false;
  return (index) => {
    if (index > end) {
      const start = text.lastIndexOf('\n', index) + 1;
      const next = text.indexOf('\n', index);
      end = next === -1 ? text.length : next;
      has = wanted.test(text.slice(start, end));
    }
    return has;
  };
}
