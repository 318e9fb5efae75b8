import { InputError } from '../tool.ts';

type Schema = Readonly<Record<string, unknown>>;

const MOST_ISSUES = 20;

/**
 * Arguments as a tool's schema wants them, as far as that can be seen at the top: an object, what is required, of which
 * type. The rest is the server's to check. Nothing here runs a pattern that the server wrote.
 */
export function checkInput(name: string, schema: Schema, input: unknown): Record<string, unknown> {
  if (!isRecord(input)) throw new InputError(`${name}: the input must be an object`);
  const properties = isRecord(schema.properties) ? schema.properties : {};
  const given = withoutNulls(properties, input);
  const issues = [
    ...missing(schema, given),
    ...unknown(schema, properties, given),
    ...Object.entries(given).flatMap(([key, value]) => issuesOf(key, own(properties, key), value)),
  ];
  if (issues.length > 0) throw new InputError(`${name}: ${issues.slice(0, MOST_ISSUES).join('; ')}`);
  return given;
}

/** Models say null for what they leave out. */
function withoutNulls(properties: Schema, input: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const kept = Object.entries(input).filter(([key, value]) => value !== null || allowsNull(own(properties, key)));
  return Object.fromEntries(kept);
}

function allowsNull(schema: unknown): boolean {
  return !isRecord(schema) || typesOf(schema).includes('null') || !('type' in schema);
}

function missing(schema: Schema, given: Readonly<Record<string, unknown>>): string[] {
  const required = Array.isArray(schema.required) ? schema.required : [];
  return required
    .filter((key) => typeof key === 'string' && !Object.hasOwn(given, key))
    .map((key) => `${key} is required`);
}

function unknown(schema: Schema, properties: Schema, given: Readonly<Record<string, unknown>>): string[] {
  if (schema.additionalProperties !== false || 'patternProperties' in schema) return [];
  return Object.keys(given)
    .filter((key) => !Object.hasOwn(properties, key))
    .map((key) => `unknown field ${key}`);
}

function issuesOf(key: string, schema: unknown, value: unknown): string[] {
  if (!isRecord(schema)) return [];
  const types = typesOf(schema);
  if (types.length > 0 && !types.some((type) => isOfType(type, value))) return [`${key} must be ${types.join(' or ')}`];
  const choices = Array.isArray(schema.enum) ? schema.enum : undefined;
  if (choices && !isComposite(value) && !choices.includes(value)) return [`${key} must be one of the allowed values`];
  return [];
}

function typesOf(schema: Schema): string[] {
  const { type } = schema;
  if (typeof type === 'string') return [type];
  return Array.isArray(type) ? type.filter((each) => typeof each === 'string') : [];
}

function isOfType(type: string, value: unknown): boolean {
  switch (type) {
    case 'string':
    case 'number':
    case 'boolean':
      return typeof value === type;
    case 'integer':
      return Number.isInteger(value);
    case 'null':
      return value === null;
    case 'array':
      return Array.isArray(value);
    case 'object':
      return isRecord(value);
    default:
      return true;
  }
}

function isComposite(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}

function own(record: Schema, key: string): unknown {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
