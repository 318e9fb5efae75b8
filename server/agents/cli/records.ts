import type { JsonRecord } from './json-program.ts';

/** Reads what a program says without trusting its shape: a field of another type counts as absent. */

export function textAt(record: JsonRecord | undefined, name: string): string | undefined {
  const value = record?.[name];
  return typeof value === 'string' ? value : undefined;
}

export function numberAt(record: JsonRecord | undefined, name: string): number {
  const value = record?.[name];
  return typeof value === 'number' && Number.isFinite(value) ? value : 0;
}

export function recordAt(record: JsonRecord | undefined, name: string): JsonRecord | undefined {
  const value = record?.[name];
  return isRecord(value) ? value : undefined;
}

export function recordsAt(record: JsonRecord | undefined, name: string): JsonRecord[] {
  const value = record?.[name];
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The text of a result that is a string or a list of parts. */
export function textOfContent(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return content === undefined || content === null ? '' : JSON.stringify(content);
  return content
    .filter(isRecord)
    .map((part) => textAt(part, 'text') ?? `[${textAt(part, 'type') ?? 'part'}]`)
    .join('\n');
}
