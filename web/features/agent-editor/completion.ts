import { getLocation } from 'jsonc-parser';
import { type JsonSchema, schemaAt } from './check-definition.ts';
import { isObject, type JsonValue, type Path, valueAt } from './json-value.ts';

/** Names that only the server knows. */
export interface Vocabulary {
  readonly agents: readonly string[];
  readonly templates: readonly string[];
  readonly tools: readonly string[];
}

export interface Suggestion {
  readonly label: string;
  /** What is written. */
  readonly insert: string;
  readonly detail?: string | undefined;
}

export interface Suggestions {
  readonly from: number;
  readonly to: number;
  readonly options: readonly Suggestion[];
}

const LONGEST_WORD = 64;

/** What can stand where the caret is: names of fields that are not there yet, or values. */
export function suggestAt(
  text: string,
  offset: number,
  schema: JsonSchema,
  value: unknown,
  vocabulary: Vocabulary,
): Suggestions | null {
  const { path, isAtPropertyKey, previousNode } = getLocation(text, offset);
  const touched = previousNode && offset <= previousNode.offset + previousNode.length ? previousNode : null;
  // A word that is not whole yet, like `tr`, is no node.
  const from =
    touched?.offset ?? offset - /\w*$/.exec(text.slice(Math.max(0, offset - LONGEST_WORD), offset))![0].length;
  const to = touched ? touched.offset + touched.length : offset;
  const options = isAtPropertyKey
    ? fieldNames(schema, path.slice(0, -1), value, { hasColon: /^\s*:/.test(text.slice(to)) })
    : values(schema, path, vocabulary);
  return options.length > 0 ? { from, to, options } : null;
}

function fieldNames(schema: JsonSchema, path: Path, value: unknown, { hasColon }: { hasColon: boolean }): Suggestion[] {
  const holder = valueAt(value, path);
  const present = isObject(holder) ? holder : {};
  const fields = Object.entries(schemaAt(schema, path)?.properties ?? {});
  return fields
    .filter(([name]) => hasColon || !Object.hasOwn(present, name))
    .map(([name]) => {
      const inner = schemaAt(schema, [...path, name]);
      const insert = hasColon ? JSON.stringify(name) : `${JSON.stringify(name)}: ${JSON.stringify(example(inner))}`;
      return { label: name, insert, detail: inner?.description };
    });
}

/** Something of the right kind to begin with. */
function example(schema: JsonSchema | null): JsonValue {
  if (schema?.enum) return schema.enum[0] ?? null;
  switch (schema?.type) {
    case 'object':
      return {};
    case 'array':
      return [];
    case 'boolean':
      return true;
    case 'number':
    case 'integer':
      return 1;
    default:
      return '';
  }
}

function values(schema: JsonSchema, path: Path, vocabulary: Vocabulary): Suggestion[] {
  const known = namesFor(path, vocabulary).map((name) => JSON.stringify(name));
  const rules = schemaAt(schema, path);
  const allowed = rules?.enum ?? (rules?.type === 'boolean' ? [true, false] : []);
  return [...allowed.map((value) => JSON.stringify(value)), ...known].map((insert) => ({
    label: insert.replace(/^"|"$/g, ''),
    insert,
  }));
}

function namesFor([field, ...inside]: Path, { agents, templates, tools }: Vocabulary): readonly string[] {
  if (field === 'parentAgentId') return agents;
  if (field === 'extends') return [...templates, ...agents];
  if (inside.length === 0) return [];
  if (field === 'toolAllowlist' || field === 'toolDenylist') return tools;
  return field === 'agentAllowlist' || field === 'agentDenylist' ? agents : [];
}
