import type { PrimitiveSchemaDefinition } from '@modelcontextprotocol/client';
import { optionsOf } from './elicitation-options.ts';

/** What is wrong with a value that a person gave, in the end of a sentence that begins with its name. */
export function issuesOf(schema: PrimitiveSchemaDefinition, value: unknown): string[] {
  switch (schema.type) {
    case 'string':
      return typeof value === 'string' ? textIssues(schema, value) : ['must be text'];
    case 'boolean':
      return typeof value === 'boolean' ? [] : ['must be yes or no'];
    case 'number':
    case 'integer':
      return numberIssues(schema, value);
    case 'array':
      return listIssues(schema, value);
    default:
      return schema satisfies never;
  }
}

function textIssues(schema: Extract<PrimitiveSchemaDefinition, { type: 'string' }>, value: string): string[] {
  const options = optionsOf(schema);
  if (options) return options.some((option) => option.value === value) ? [] : ['must be one of the options'];
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY, format } = schema as TextLimits;
  const { length } = [...value];
  if (length < minLength) return [`must have at least ${minLength} characters`];
  if (length > maxLength) return [`must have at most ${maxLength} characters`];
  return format && !hasFormat(format, value) ? [`must be a valid ${format}`] : [];
}

interface TextLimits {
  minLength?: number;
  maxLength?: number;
  format?: string;
}

function hasFormat(format: string, value: string): boolean {
  switch (format) {
    case 'email':
      return /^[^\s@]+@[^\s@]+$/.test(value);
    case 'uri':
      return URL.canParse(value);
    case 'date':
      return /^\d{4}-\d\d-\d\d$/.test(value) && !Number.isNaN(Date.parse(value));
    case 'date-time':
      return /^\d{4}-\d\d-\d\dT/.test(value) && !Number.isNaN(Date.parse(value));
    default:
      return true;
  }
}

function numberIssues(schema: Extract<PrimitiveSchemaDefinition, { type: 'number' | 'integer' }>, value: unknown) {
  const { minimum = Number.NEGATIVE_INFINITY, maximum = Number.POSITIVE_INFINITY } = schema;
  if (typeof value !== 'number' || !Number.isFinite(value)) return ['must be a number'];
  if (schema.type === 'integer' && !Number.isInteger(value)) return ['must be a whole number'];
  if (value < minimum) return [`must be at least ${minimum}`];
  return value > maximum ? [`must be at most ${maximum}`] : [];
}

function listIssues(schema: Extract<PrimitiveSchemaDefinition, { type: 'array' }>, value: unknown): string[] {
  const known = new Set(optionsOf(schema)?.map((option) => option.value));
  if (!Array.isArray(value) || !value.every((each) => known.has(each))) return ['must be a list of options'];
  const { minItems = 0, maxItems = Number.POSITIVE_INFINITY } = schema;
  if (value.length < minItems) return [`must contain at least ${minItems} options`];
  return value.length > maxItems ? [`must contain at most ${maxItems} options`] : [];
}
