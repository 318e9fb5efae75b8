import type { Path } from './json-value.ts';

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
