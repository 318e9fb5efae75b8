import { applyEdits, modify, type ParseError, parse, printParseErrorCode } from 'jsonc-parser';
import { isObject, type JsonObject, type JsonValue, type Path, valueAt } from './json-value.ts';

/** A definition that is being written. Its text is the truth: the form reads from it and writes into it. */
export interface Reading {
  /** Null when the text is not the JSON of an object. */
  readonly value: JsonObject | null;
  readonly errors: readonly SyntaxProblem[];
}

export interface SyntaxProblem {
  /** What the reader expected, as a name. */
  readonly code: string;
  readonly from: number;
  readonly to: number;
}

const NO_OBJECT = 'ObjectExpected';

export function toText(definition: object): string {
  return JSON.stringify(definition, null, 2);
}

/** Strict: what is sent to the server is plain JSON, so comments and trailing commas would only be lost. */
export function readText(text: string): Reading {
  const found: ParseError[] = [];
  const value: unknown = parse(text, found, { disallowComments: true, allowTrailingComma: false });
  const errors = found.map(({ error, offset, length }) => ({
    code: printParseErrorCode(error),
    from: offset,
    to: offset + length,
  }));
  if (errors.length > 0) return { value: null, errors };
  if (isObject(value)) return { value, errors };
  return { value: null, errors: [{ code: NO_OBJECT, from: 0, to: text.length }] };
}

/** While something is being typed the text is rarely whole; what can be read of it. */
export function readLeniently(text: string): unknown {
  return parse(text);
}

/** Changes one field and leaves the rest of the text alone. `undefined` takes it out, and what it leaves empty. */
export function writeAt(text: string, path: Path, value: JsonValue | undefined, order: readonly string[] = []): string {
  const written = edit(text, path, value, order);
  const parent = path.slice(0, -1);
  const isLeftEmpty = value === undefined && parent.length > 0 && isEmpty(valueAt(readText(written).value, parent));
  return isLeftEmpty ? writeAt(written, parent, undefined, order) : written;
}

function edit(text: string, path: Path, value: JsonValue | undefined, order: readonly string[]): string {
  const getInsertionIndex = (names: string[]) => {
    const rank = order.indexOf(String(path.at(-1)));
    const later = names.findIndex((name) => order.indexOf(name) > rank);
    return rank < 0 || later < 0 ? names.length : later;
  };
  const formattingOptions = { tabSize: 2, insertSpaces: true, eol: '\n' };
  return applyEdits(text, modify(text, [...path], value, { formattingOptions, getInsertionIndex }));
}

function isEmpty(value: unknown): boolean {
  return isObject(value) && Object.keys(value).length === 0;
}
