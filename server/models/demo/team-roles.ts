import { ANY_ROLE, idOf, ROLES, type Role, titleCase } from './drafting.ts';

export const LEADER: Role = ROLES.find(({ template }) => template === 'orchestrator')!;
const OTHERS = ROLES.filter((role) => role !== LEADER);
/** Roles that help with anything, in this order. */
const USUAL = ['researcher', 'writer', 'reviewer', 'planner'].map(
  (template) => ROLES.find((role) => role.template === template)!,
);
const NUMBERS: Readonly<Record<string, number>> = { two: 2, three: 3, four: 4, five: 5 };
const COUNT = /\bteam of (\w+)/i;
/** “a team of three: a researcher, a writer and a reviewer”, from the first of them on. */
const LIST = /\bteam\b(?:\s+of\s+(?:\d+|two|three|four|five)\b)?(?:\s+agents)?\s*(?::|,|with|of)?\s+(?=an?\s)/i;
/** More agents than any team may have. */
const MOST_LISTED = 50;
const BETWEEN = / ?, ?(?:and )?| and /i;
const PHRASE = /^an?\s+((?:(?!(?:who|that|which|for|to|on|in|with|about)\b)[\p{L}-]+ ?){1,3})/iu;

/** The agents of a team besides the one that leads it: every role that is named, and usual ones up to the size that is. */
export function rolesFor(asked: string): Role[] {
  const listed = listedIn(asked).map(toRole);
  const meant = OTHERS.filter(({ words }) => words.test(asked));
  const isListed = (role: Role) => listed.some(({ template }) => template === role.template);
  const others = [...USUAL.filter((role) => meant.includes(role)), ...meant, ...USUAL].filter(
    (role) => !isListed(role),
  );
  const named = listed.length > 0 ? listed.length : meant.length;
  return [...new Set([...listed, ...others])].slice(0, Math.max(named, sizeIn(asked) - 1));
}

/** The roles that are listed by name, as they were written. */
export function listedIn(asked: string): string[] {
  const flat = asked.replace(/\s+/g, ' ');
  const begins = LIST.exec(flat);
  if (!begins) return [];
  const pieces = flat.slice(begins.index + begins[0].length).split(BETWEEN, MOST_LISTED);
  const end = pieces.findIndex((piece) => !PHRASE.test(piece));
  const phrases = pieces.slice(0, end < 0 ? undefined : end).map((piece) => PHRASE.exec(piece)![1]!.trim());
  return [...new Map(phrases.map((phrase) => [idOf(phrase), phrase])).values()];
}

function toRole(phrase: string): Role {
  const { icon, ...known } = OTHERS.find(({ words }) => words.test(phrase)) ?? ANY_ROLE;
  return { ...known, icon, title: titleCase(phrase.toLowerCase()) };
}

/** With the agent that leads: three unless it is said. */
function sizeIn(asked: string): number {
  const [, said = ''] = COUNT.exec(asked) ?? [];
  const size = NUMBERS[said.toLowerCase()] ?? Number.parseInt(said, 10);
  return Number.isNaN(size) ? 3 : Math.min(Math.max(size, 2), USUAL.length + 1);
}
