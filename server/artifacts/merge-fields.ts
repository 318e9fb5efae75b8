import { isDeepStrictEqual } from 'node:util';
import type { ArtifactConflict } from '../../contract/artifacts.ts';
import { AppError } from '../../contract/errors.ts';
import { say } from '../../contract/texts.ts';
import type { ArtifactChangeRow } from '../storage/tables.ts';
import { mergeText } from './merge-text.ts';
import { readFields, toAuthor, toTime } from './shapes.ts';

/** What a thing consists of, by the names that its history uses. */
export type Fields = Record<string, unknown>;

/** What a change of a field is based on, and who changed the field after that. */
export interface FieldBase {
  readonly value: unknown;
  readonly by: ArtifactConflict['by'];
  readonly at: string;
}

export type BaseOf = (field: string) => FieldBase | undefined;

export interface MergedFields {
  /** What is to be written: only what differs. */
  readonly changed: Fields;
  readonly conflicts: ArtifactConflict[];
}

/** Fields whose text is merged by lines. */
const TEXTS: ReadonlySet<string> = new Set(['text', 'notes']);
const MOST_CONFLICTS = 50;
const MOST_SHOWN = 10_000;

/** Where there is a conflict, what is wanted is among what is to be written, for the one who insists on it. */
export function mergeFields(current: Fields, wanted: Fields, baseOf: BaseOf): MergedFields {
  const changed: Fields = {};
  const conflicts: ArtifactConflict[] = [];
  for (const [field, yours] of Object.entries(wanted)) {
    const theirs = current[field] ?? null;
    if (isDeepStrictEqual(yours, theirs)) continue;
    const base = baseOf(field);
    const merged =
      base && !isDeepStrictEqual(base.value, theirs) ? mergeField(field, base, yours, theirs) : { value: yours };
    if (!isDeepStrictEqual(merged.value, theirs)) changed[field] = merged.value;
    if ('conflicts' in merged) conflicts.push(...merged.conflicts);
  }
  return { changed, conflicts: conflicts.slice(0, MOST_CONFLICTS) };
}

interface MergedField {
  value: unknown;
  conflicts: ArtifactConflict[];
}

function mergeField(field: string, base: FieldBase, yours: unknown, theirs: unknown): MergedField {
  if (field === 'tags') return { value: mergeTags(base.value, yours, theirs), conflicts: [] };
  const { by, at } = base;
  if (!TEXTS.has(field)) return { value: yours, conflicts: [{ field, yours, theirs, by, at }] };
  const { text, conflicts } = mergeText(String(base.value ?? ''), String(yours), String(theirs));
  const shown = conflicts.map((each) => ({ field, yours: cut(each.yours), theirs: cut(each.theirs), by, at }));
  return { value: text, conflicts: shown };
}

/** What each has added and taken away. */
function mergeTags(base: unknown, yours: unknown, theirs: unknown): string[] {
  const [before, wanted, now] = [toTags(base), toTags(yours), toTags(theirs)];
  const kept = now.filter((tag) => wanted.includes(tag) || !before.includes(tag));
  return [...kept, ...wanted.filter((tag) => !before.includes(tag) && !now.includes(tag))];
}

function toTags(value: unknown): string[] {
  return Array.isArray(value) ? (value as string[]) : [];
}

function cut(text: string): string {
  return text.length <= MOST_SHOWN ? text : `${text.slice(0, MOST_SHOWN - 1).toWellFormed()}…`;
}

/** What the fields were before some changes, oldest first, and who made the last one of each. */
export function basesBefore(changes: readonly ArtifactChangeRow[]): BaseOf {
  const bases = new Map<string, FieldBase>();
  for (const change of changes) {
    if (change.type !== 'changed' && change.type !== 'item_changed') continue;
    const before = readFields(change.before) ?? {};
    const last = { by: toAuthor(change.author), at: toTime(change.at) };
    for (const field of Object.keys(before))
      bases.set(field, { value: bases.has(field) ? bases.get(field)!.value : before[field], ...last });
  }
  return (field) => bases.get(field);
}

export function assertNoConflict(
  conflicts: ArtifactConflict[],
  kind: 'artifact_conflict' | 'artifact_conflict.undo' = 'artifact_conflict',
) {
  if (conflicts.length === 0) return;
  const fields = [...new Set(conflicts.map(({ field }) => field))].join(', ');
  throw new AppError('artifact_conflict', say(kind, { fields }), { conflicts });
}

/** The same fields with what they hold. */
export function pick(fields: Fields, names: Iterable<string>): Fields {
  return Object.fromEntries([...names].map((name) => [name, fields[name] ?? null]));
}
