import { findNodeAtLocation, type Node, parseTree } from 'jsonc-parser';
import { isObject, type Path, pathName } from './json-value.ts';

/** Something to mend: where, and what. An empty path means the definition as a whole. */
export interface Problem {
  readonly path: Path;
  readonly message: string;
}

export interface PlacedProblem {
  readonly from: number;
  readonly to: number;
  readonly message: string;
}

const PREFIX = /^(?:\S+\.json: ?)?(?:(?:agents|templates)\[\d+\]\.?)?/;
const SEGMENT = /^(?:\.?([A-Za-z_$][\w$-]*)|\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\])/;

/**
 * What the server says of a definition, `agents/todo.json: chat.temperature must be at most 2`, taken apart. Sentences that
 * begin with no field of this definition stay whole.
 */
export function readIssue(issue: string, isField: (name: string) => boolean): Problem {
  let rest = issue.slice(PREFIX.exec(issue)![0].length);
  const path: (string | number)[] = [];
  for (let found = SEGMENT.exec(rest); found; found = SEGMENT.exec(rest)) {
    path.push(toKey(found));
    rest = rest.slice(found[0].length);
  }
  const isPlace = rest.startsWith(' ') && typeof path[0] === 'string' && isField(path[0]);
  return isPlace ? { path, message: sentence(rest.trim()) } : { path: [], message: sentence(issue) };
}

function toKey([, name, index, quoted]: RegExpExecArray): string | number {
  if (name !== undefined) return name;
  return index === undefined ? (JSON.parse(quoted!) as string) : Number(index);
}

export function sentence(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Where in the text a problem is: at its value, at the key when the value is an object, else at what would hold it. */
export function placeProblems(text: string, problems: readonly Problem[]): PlacedProblem[] {
  const tree = parseTree(text);
  return problems.map(({ path, message }) => ({ ...rangeOf(tree, path), message: withField(path, message) }));
}

function rangeOf(tree: Node | undefined, path: Path): { from: number; to: number } {
  const node = tree && findNodeAtLocation(tree, [...path]);
  if (!node) return path.length === 0 ? { from: 0, to: 1 } : rangeOf(tree, path.slice(0, -1));
  const isBranch = node.type === 'object' || node.type === 'array';
  const shown = (isBranch && node.parent?.type === 'property' && node.parent.children?.[0]) || node;
  return { from: shown.offset, to: shown === tree ? shown.offset + 1 : shown.offset + shown.length };
}

function withField(path: Path, message: string): string {
  return path.length === 0 ? message : `${pathName(path)}: ${message}`;
}

/** Those of one field, and of what is inside it. */
export function problemsAt(problems: readonly Problem[], path: Path): Problem[] {
  return problems.filter((problem) => path.every((key, index) => problem.path[index] === key));
}

/** Whether a name is a field of what is being written, or of any agent. */
export function fieldTest(value: unknown, known: readonly string[]): (name: string) => boolean {
  return (name) => known.includes(name) || (isObject(value) && Object.hasOwn(value, name));
}
