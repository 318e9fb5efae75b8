import { useMemo } from 'react';
import type { TextKey } from '../../i18n/en.ts';
import { useLanguage, text as words } from '../../i18n/text.ts';
import { checkDefinition } from './check-definition.ts';
import { type Reading, readText, type SyntaxProblem } from './draft.ts';
import { type PlacedProblem, type Problem, placeProblems } from './problems.ts';

/** What the server said of exactly this text. */
export interface Told {
  readonly text: string;
  readonly problems: readonly Problem[];
}

export interface Checked extends Reading {
  readonly problems: readonly Problem[];
  /** As far as can be said without the server. */
  readonly isSound: boolean;
  readonly placed: readonly PlacedProblem[];
}

/** A draft, read and judged. `fixedId`: an agent keeps its name. */
export function useChecked(text: string, told: Told | null, fixedId: string | null): Checked {
  const language = useLanguage();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the problems are told in words
  return useMemo(() => {
    const reading = readText(text);
    if (!reading.value) return unreadable(reading);
    const isRenamed = fixedId !== null && reading.value.agentId !== fixedId;
    const own = [...checkDefinition(reading.value), ...(isRenamed ? [renamed()] : [])];
    const problems = [...own, ...(told?.text === text ? told.problems : [])];
    return { ...reading, problems, isSound: own.length === 0, placed: placeProblems(text, problems) };
  }, [text, told, fixedId, language]);
}

function unreadable(reading: Reading): Checked {
  const { errors } = reading;
  return { ...reading, problems: errors.map(toProblem), isSound: false, placed: errors.map(toPlaced) };
}

function renamed(): Problem {
  return { path: ['agentId'], message: words('agents.problem.renamed') };
}

function toProblem(error: SyntaxProblem): Problem {
  return { path: [], message: sayError(error) };
}

function toPlaced(error: SyntaxProblem): PlacedProblem {
  return { from: error.from, to: error.to, message: sayError(error) };
}

const SYNTAX: Readonly<Record<string, TextKey>> = {
  CommaExpected: 'agents.json.comma',
  ColonExpected: 'agents.json.colon',
  PropertyNameExpected: 'agents.json.name',
  ValueExpected: 'agents.json.value',
  CloseBraceExpected: 'agents.json.brace',
  CloseBracketExpected: 'agents.json.bracket',
  EndOfFileExpected: 'agents.json.end',
  InvalidCommentToken: 'agents.json.comment',
  UnexpectedEndOfString: 'agents.json.string',
  ObjectExpected: 'agents.json.object',
};

function sayError({ code }: SyntaxProblem): string {
  return words(SYNTAX[code] ?? 'agents.json.other');
}
