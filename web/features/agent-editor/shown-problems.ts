import { useState } from 'react';
import type { Path } from './json-value.ts';
import { type Problem, pathName } from './problems.ts';

/**
 * The problems to tell about so far: those of fields that the person has left, and all of them once something was written as
 * JSON or was to be saved. A form that has just been opened has none.
 */
export function useShownProblems(problems: readonly Problem[]) {
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const [isAll, setAll] = useState(false);
  const isLeft = ({ path }: Problem) => path.some((_, index) => left.has(pathName(path.slice(0, index + 1))));
  return {
    shown: isAll ? problems : problems.filter(isLeft),
    leave: (path: Path) => setLeft((before) => new Set(before).add(pathName(path))),
    showAll: () => setAll(true),
  };
}
