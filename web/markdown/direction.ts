const LETTER = /\p{L}/u;
const RIGHT_TO_LEFT =
  /\p{Script=Arabic}|\p{Script=Hebrew}|\p{Script=Syriac}|\p{Script=Thaana}|\p{Script=Nko}|\p{Script=Adlam}/u;

/**
 * The direction of a text: that of its first letter, as for `dir="auto"`. A browser leaves out what has a direction of
 * its own, so it cannot tell for a table, whose cells all do.
 */
export function directionOf(text: string): 'ltr' | 'rtl' {
  return RIGHT_TO_LEFT.test(LETTER.exec(text)?.[0] ?? '') ? 'rtl' : 'ltr';
}
