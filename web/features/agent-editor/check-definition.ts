import './without-eval.ts';
import { z } from 'zod';
import { AgentDefinition } from '../../../contract/agents.ts';
import { text } from '../../i18n/agent-words.ts';
import type { AgentTextKey } from '../../i18n/en.ts';
import type { Path } from './json-value.ts';
import { type Problem, sentence } from './problems.ts';

/** The server's own rules, before anything is sent. It judges again, with what only it knows. */
export function checkDefinition(value: unknown): Problem[] {
  const parsed = AgentDefinition.safeParse(value);
  return parsed.success ? [] : parsed.error.issues.flatMap(toProblems);
}

export const DEFINITION_SCHEMA = z.toJSONSchema(AgentDefinition, {
  io: 'input',
  unrepresentable: 'any',
}) as JsonSchema;

export const TOP_FIELDS: readonly string[] = Object.keys(DEFINITION_SCHEMA.properties ?? {});

type Issue = z.core.$ZodIssue;

function toProblems(issue: Issue): Problem[] {
  const path = issue.path.map((key) => (typeof key === 'number' ? key : String(key)));
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => ({ path: [...path, key], message: text('agents.problem.unknown') }));
  if (issue.code === 'invalid_union') return [{ path, message: text('agents.problem.other') }];
  return [{ path, message: complaint(issue) }];
}

function complaint(issue: Exclude<Issue, { code: 'unrecognized_keys' | 'invalid_union' }>): string {
  // What the contract says itself continues a sentence; the library's own words begin with a capital.
  if (/^[a-z]/.test(issue.message)) return ownRule(issue);
  switch (issue.code) {
    case 'invalid_type':
      return text('agents.problem.type', { type: typeName(issue.expected) });
    case 'invalid_value':
      return text('agents.problem.oneOf', { values: issue.values.join(', ') });
    case 'too_small':
      return tooSmall(issue.origin, Number(issue.minimum), issue.inclusive ?? true);
    case 'too_big':
      return text(isLength(issue.origin) ? 'agents.problem.long' : 'agents.problem.most', {
        limit: Number(issue.maximum),
      });
    default:
      return text('agents.problem.other');
  }
}

/** Rules that only one kind of field has. */
const OWN_RULES: Readonly<Record<string, AgentTextKey>> = {
  agentId: 'agents.problem.agentId',
  extends: 'agents.problem.agentId',
  parentAgentId: 'agents.problem.agentId',
  baseUrl: 'agents.problem.url',
  apiKey: 'agents.problem.variable',
};

function ownRule({ path, message }: Issue): string {
  const key = OWN_RULES[String(path.at(-1))];
  return key ? text(key) : sentence(message);
}

function tooSmall(origin: string, limit: number, inclusive: boolean): string {
  if (isLength(origin)) return text('agents.problem.empty');
  return text(inclusive ? 'agents.problem.least' : 'agents.problem.more', { limit });
}

function isLength(origin: string): boolean {
  return origin === 'string' || origin === 'array';
}

function typeName(expected: string): string {
  switch (expected) {
    case 'string':
      return text('agents.type.string');
    case 'number':
    case 'int':
      return text('agents.type.number');
    case 'boolean':
      return text('agents.type.boolean');
    case 'array':
      return text('agents.type.array');
    default:
      return text('agents.type.object');
  }
}

/** As much of JSON Schema as a definition's rules use. */
export interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly enum?: readonly (string | number | boolean | null)[];
  readonly const?: string | number | boolean | null;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly additionalProperties?: JsonSchema | boolean;
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
}

/** The rules for a place, without "or null". */
export function schemaAt(schema: JsonSchema, path: Path): JsonSchema | null {
  const plain = withoutNull(schema);
  const [key, ...rest] = path;
  if (key === undefined) return plain;
  const inner = typeof key === 'number' ? plain.items : (plain.properties?.[key] ?? anyProperty(plain));
  return inner ? schemaAt(inner, rest) : null;
}

function anyProperty({ additionalProperties }: JsonSchema): JsonSchema | undefined {
  return typeof additionalProperties === 'object' ? additionalProperties : undefined;
}

/** What it is for stands outside of the alternatives. */
function withoutNull(schema: JsonSchema): JsonSchema {
  if (Array.isArray(schema.type)) return { ...schema, type: schema.type.find((type) => type !== 'null') };
  const alternatives = schema.anyOf?.filter(({ type }) => type !== 'null') ?? [];
  if (alternatives.length !== 1) return schema;
  const { description = schema.description } = alternatives[0]!;
  return { ...alternatives[0], ...(description !== undefined && { description }) };
}

export function optionsAt(schema: JsonSchema, path: Path): string[] {
  const { enum: values = [] } = schemaAt(schema, path) ?? {};
  return values.filter((value) => typeof value === 'string');
}
