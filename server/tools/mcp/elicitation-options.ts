import type { PrimitiveSchemaDefinition } from '@modelcontextprotocol/client';
import { plainText } from './plain-text.ts';

/** A choice as a person sees it, and what the server knows it by. */
export interface Option {
  readonly shown: string;
  readonly value: string;
}

export function optionsOf(schema: PrimitiveSchemaDefinition): readonly Option[] | undefined {
  const options = listOptions(schema);
  const shown = new Set(options?.map((option) => option.shown));
  // Two that look the same are told apart by their values.
  return options && shown.size < options.length ? options.map(({ value }) => ({ shown: value, value })) : options;
}

function listOptions(schema: PrimitiveSchemaDefinition): readonly Option[] | undefined {
  if (schema.type === 'array') {
    return 'anyOf' in schema.items ? schema.items.anyOf.map(titled) : schema.items.enum.map((value) => plain(value));
  }
  if (schema.type !== 'string') return undefined;
  if ('oneOf' in schema) return schema.oneOf.map(titled);
  if (!('enum' in schema)) return undefined;
  const names = 'enumNames' in schema ? (schema.enumNames ?? []) : [];
  return schema.enum.map((value, index) => plain(value, names[index]));
}

function titled({ const: value, title }: { const: string; title: string }): Option {
  return plain(value, title);
}

function plain(value: string, title = value): Option {
  return { shown: plainText(title, 500) || value, value };
}
