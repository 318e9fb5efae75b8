const LONG_CHARACTERS = 4_000;
const LONG_LINES = 60;

/** Whether a text is too long to be read in between others: it is folded, and opened by those who want to read it. */
export function isLongText(text: string): boolean {
  return text.length > LONG_CHARACTERS || linesOf(text) > LONG_LINES;
}

export function linesOf(text: string): number {
  let lines = 1;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) lines += 1;
  return lines;
}
