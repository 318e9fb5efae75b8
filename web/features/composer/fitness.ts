const WORD_BREAK = /[\s/._-]/;

/** How well what is typed fits a name: 0 not at all, 4 best. Letters count in their order, capitals do not. */
export function fitness(typed: string, name: string): number {
  const wanted = typed.toLowerCase();
  const whole = name.toLowerCase();
  const at = whole.indexOf(wanted);
  if (at === 0) return 4;
  if (beginsWord(whole, wanted)) return 3;
  if (at > 0) return 2;
  return isScattered(wanted, whole) ? 1 : 0;
}

function beginsWord(whole: string, wanted: string): boolean {
  for (let at = whole.indexOf(wanted, 1); at > 0; at = whole.indexOf(wanted, at + 1))
    if (WORD_BREAK.test(whole[at - 1]!)) return true;
  return false;
}

function isScattered(wanted: string, whole: string): boolean {
  let at = 0;
  for (const letter of whole) if (letter === wanted[at]) at += 1;
  return at === wanted.length;
}

/** Those that fit, best first; equals stay in their order. */
export function bestFits<T>(typed: string, all: readonly T[], namesOf: (one: T) => readonly string[]): T[] {
  return all
    .map((one) => ({ one, score: Math.max(...namesOf(one).map((name) => fitness(typed, name))) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .map(({ one }) => one);
}
