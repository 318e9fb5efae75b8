import { RESERVED_NAMES } from './speakers.ts';
import { unseenInName } from './unseen-characters.ts';

export function isReservedName(name: string): boolean {
  return RESERVED_NAMES.has(foldName(name)) || MARKED_AGENT.test(name) || MARKED_MESSAGE.test(name.normalize('NFKC'));
}

/** How an agent with a reserved id is shown: `agent "user"`. */
const MARKED_AGENT = /^\s*agent\s*["'“”„«»‘’＂]/i;

/** How a task that an agent gives and a result that it brings are labelled: `kid (task for boss)`, `kid (result)`. */
const MARKED_MESSAGE = /\(\s*(?:task|result)\b[^()]*\)\s*$/i;

/**
 * A name reduced to what a reader sees: case, width, accents, spaces, punctuation and look-alike letters of other
 * scripts make no difference. Two names with the same fold can be mistaken for each other.
 */
export function foldName(name: string): string {
  return latinise(latinise(name).normalize('NFKD').replace(INVISIBLE_OR_MARK, ''))
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '');
}

/** Used before and after decomposition, which turns some look-alikes into other letters. */
function latinise(name: string): string {
  return Array.from(name, (letter) => LOOK_ALIKE.get(letter) ?? letter).join('');
}

const INVISIBLE_OR_MARK = /[\p{M}\p{Cf}\p{Cc}\p{Default_Ignorable_Code_Point}]/gu;

/** Why a name cannot be given to an agent, as the end of a sentence that begins with the field; null when it can. */
export function nameProblem(name: string): string | null {
  const unseen = unseenInName(name);
  if (unseen !== null) return unseen;
  if (foldName(name) === '' && !/\p{Extended_Pictographic}/u.test(name)) return 'must contain a letter or a digit';
  return isReservedName(name) ? `must not be ${JSON.stringify(name.trim())}: that name is reserved` : null;
}

const LOOK_ALIKE: ReadonlyMap<string, string> = new Map(
  [
    ['АаΑαɑᴀꓮᎪ', 'a'],
    ['ВвΒʙᏴꓐЬ', 'b'],
    ['СсϹϲᴄᏟꓚⲤⲥ', 'c'],
    ['ԁᴅᎠꓓԀ', 'd'],
    ['ЕеЁёΕεᴇᎬꓰ℮єЄҽ', 'e'],
    ['ꜰꓝϜ', 'f'],
    ['ɢᏀꓖցɡԌ', 'g'],
    ['НнΗһҺʜᎻꓧհ', 'h'],
    ['ІіΙιıЇїɪɩᎥꓲ', 'i'],
    ['ЈјᴊᎫꓙյϳ', 'j'],
    ['КкΚκᴋᏦꓗ', 'k'],
    ['ӀӏʟᏞꓡլⅼǀ', 'l'],
    ['МмΜᴍᎷꓟ', 'm'],
    ['ΝոПпɴꓠηռ', 'n'],
    ['ОоΟοσ0օՕᴏꓳⲞⲟ', 'o'],
    ['РрΡρᴘᏢꓑⲢⲣ', 'p'],
    ['ԛԚզ', 'q'],
    ['гʀᎡꓣᏒ', 'r'],
    ['ЅѕꜱᏚꓢՏ', 's'],
    ['ТтΤτᴛᎢꓔ', 't'],
    ['υսՍᴜꓴԱ', 'u'],
    ['ѴѵνᴠᏙꓦ', 'v'],
    ['ԜԝᴡᎳꓪѡա', 'w'],
    ['ХхΧχꓫ', 'x'],
    ['УуΥγҮүʏꓬ', 'y'],
    ['ΖᴢᏃꓜ', 'z'],
  ].flatMap(([letters, plain]) => Array.from(letters!, (letter) => [letter, plain!] as const)),
);
