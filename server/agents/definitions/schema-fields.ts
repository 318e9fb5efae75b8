import { z } from 'zod';

/** The fields an object schema knows at a path, through optional, nullable, default, lazy and array wrappers. */
export function fieldsAt(schema: z.core.$ZodType, path: readonly PropertyKey[]): string[] {
  const found = path.reduce<z.core.$ZodType | undefined>((at, key) => at && step(unwrap(at), key), schema);
  const inner = found && unwrap(found);
  return inner instanceof z.ZodObject ? Object.keys(inner.shape) : [];
}

function step(schema: z.core.$ZodType, key: PropertyKey): z.core.$ZodType | undefined {
  if (schema instanceof z.ZodArray) return schema.element;
  if (schema instanceof z.ZodRecord) return schema.valueType;
  if (schema instanceof z.ZodObject) return schema.shape[String(key)];
  return undefined;
}

function unwrap(schema: z.core.$ZodType): z.core.$ZodType {
  if (schema instanceof z.ZodLazy) return unwrap(schema.unwrap());
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) return unwrap(schema.unwrap());
  if (schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault) return unwrap(schema.unwrap());
  return schema;
}
