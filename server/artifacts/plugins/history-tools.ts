import { z } from 'zod';
import type { ArtifactKind } from '../../../contract/artifacts.ts';
import type { Tool } from '../../tools/tool.ts';
import type { Artifacts } from '../artifacts.ts';
import { authorOf } from '../authors.ts';
import { artifactTool, changeLine, nameOf, text, Wanted } from './artifact-tool.ts';
import { findOne } from './find.ts';

interface Naming {
  readonly plugin: string;
  /** Of the tools' names. */
  readonly prefix: string;
}

/** History, undo and deletion are the same for every kind. */
export function historyTools(
  artifacts: Artifacts,
  kind: ArtifactKind,
  { plugin, prefix }: Naming = { plugin: `${kind}s`, prefix: `${kind}s` },
): Tool[] {
  const Target = z.strictObject({ [kind]: Wanted.describe(`The ${kind}: its ID or its name`) });
  const named = (input: object) => (input as Record<string, string>)[kind]!;
  return [
    artifactTool(
      plugin,
      {
        name: `${prefix}_history`,
        description: `Show what was changed in a ${kind}, by whom and when, newest first.`,
        input: Target.extend({
          limit: z.int().min(1).max(100).default(20),
          before: z.int().optional().describe('Only versions before this one'),
        }),
        capabilities: [`${plugin}.read`],
        risk: 'read',
        operation: 'history',
      },
      async (input, context) => {
        const { id } = await findOne(artifacts, context, kind, named(input));
        const { limit, before } = input as unknown as { limit: number; before?: number };
        const { changes, isComplete } = await artifacts.changes(context.owner, id, { limit, before });
        const more = isComplete ? [] : [`More: use before ${changes.at(-1)!.version}.`];
        return text([...changes.map(changeLine), ...more]);
      },
    ),
    artifactTool(
      plugin,
      {
        name: `${prefix}_undo`,
        description: `Take changes of a ${kind} back, by the numbers that ${prefix}_history shows. All of them or none.`,
        input: Target.extend({ versions: z.array(z.int().min(2)).min(1).max(100) }),
        capabilities: [`${plugin}.write`],
        risk: 'write',
        operation: 'undo',
      },
      async (input, context) => {
        const found = await findOne(artifacts, context, kind, named(input), 'write');
        const by = authorOf(context);
        const { versions } = input as unknown as { versions: number[] };
        const undone = await artifacts.undo(context.owner, by, found.id, versions, false);
        return text([`Undone in ${nameOf(found)}:`, ...undone.changes.map(changeLine)]);
      },
    ),
    artifactTool(
      plugin,
      {
        name: `${prefix}_delete`,
        description: `Move a whole ${kind} to the trash. The user can restore it.`,
        input: Target,
        capabilities: [`${plugin}.write`],
        risk: 'write',
        operation: 'delete',
      },
      async (input, context) => {
        const found = await findOne(artifacts, context, kind, named(input), 'write');
        await artifacts.delete(context.owner, authorOf(context), found.id);
        return `Moved ${nameOf(found)} to the trash.`;
      },
    ),
  ];
}
