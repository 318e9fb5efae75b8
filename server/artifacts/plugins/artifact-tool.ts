import { z } from 'zod';
import type { ArtifactChange, ArtifactKind } from '../../../contract/artifacts.ts';
import { AppError } from '../../../contract/errors.ts';
import { defineTool, type Execute, type ToolDefinition } from '../../tools/define-tool.ts';
import { oneLine } from '../../tools/plugins/listing.ts';
import type { Tool, ToolOutput } from '../../tools/tool.ts';
import { ToolFailure } from '../../tools/tool.ts';

type Definition<Input extends z.ZodObject> = Omit<ToolDefinition<Input>, 'source'>;

/** A tool whose refusals are those of the artifacts, in words for the agent. */
export function artifactTool<Input extends z.ZodObject>(
  pluginId: string,
  definition: Definition<Input>,
  execute: Execute<Input>,
): Tool {
  const source = { kind: 'built-in', id: pluginId } as const;
  return defineTool({ ...definition, source }, async (input, context) => {
    try {
      return await execute(input, context);
    } catch (error) {
      throw error instanceof AppError ? toFailure(error) : error;
    }
  });
}

function toFailure({ code, message, conflicts = [] }: AppError): ToolFailure {
  const lines = conflicts
    .slice(0, MOST_CONFLICTS)
    .map(({ field, yours, theirs }) => `${field}: it is now ${show(theirs)}, you wanted ${show(yours)}`);
  return new ToolFailure([message, ...lines].join('\n'), code);
}

const MOST_CONFLICTS = 10;

function show(value: unknown): string {
  return oneLine(JSON.stringify(value) ?? 'null', 300);
}

export const Wanted = z.string().trim().min(1).max(200);
export const Base = z
  .int()
  .min(1)
  .optional()
  .describe('The version you read, if others may have changed it since: what they changed is merged or reported');

export type Described = { id: string; name: string; plugin: string | null };

/** `name` [id] */
export function nameOf({ id, name }: Pick<Described, 'id' | 'name'>): string {
  return `"${oneLine(name)}" [${id}]`;
}

/** One that an id or a name means. Several of one name are refused with their ids. */
export function single<T extends Described>(found: readonly T[], wanted: string, kind: ArtifactKind, help: string): T {
  if (found.length === 1) return found[0]!;
  if (found.length === 0) throw new ToolFailure(`There is no ${kind} "${oneLine(wanted)}". ${help}`, 'not_found');
  const candidates = found.map(({ id, name }) => `[${id}] ${oneLine(name)}`).join('\n');
  throw new ToolFailure(`Several are called "${oneLine(wanted)}". Use an ID:\n${candidates}`, 'ambiguous');
}

/** `[12] item_changed "title" by ada, 2026-01-31 09:00: title, due` */
export function changeLine({ version, type, title, by, at, before, after, undoneBy }: ArtifactChange): string {
  const who = by.kind === 'agent' ? by.agentId : by.kind === 'import' ? 'an import' : 'the user';
  const fields = Object.keys({ ...before, ...after }).filter((field) => field !== 'rank');
  const what = type === 'changed' || type === 'item_changed' ? `: ${fields.join(', ')}` : '';
  const undone = undoneBy === null ? '' : ` (undone in ${undoneBy})`;
  return `[${version}] ${type.replace('_', ' ')} "${oneLine(title, 80)}" by ${who}, ${at.slice(0, 16)}Z${what}${undone}`;
}

export function text(lines: readonly string[]): ToolOutput {
  return { text: lines.join('\n') };
}
