import { z } from 'zod';
import { CreateView, PatchView, ViewQuery, type ViewRows } from '../../../contract/views.ts';
import { commandOf, type Plugin } from '../../tools/plugin.ts';
import { Limit } from '../../tools/plugins/fields.ts';
import { headingFor, oneLine, tagList } from '../../tools/plugins/listing.ts';
import { skillPathOf } from '../../tools/skills.ts';
import type { Tool, ToolOutput } from '../../tools/tool.ts';
import type { Artifacts } from '../artifacts.ts';
import { authorOf } from '../authors.ts';
import { keptFrom } from '../kept-reach.ts';
import { artifactTool, Base, nameOf, text, Wanted } from './artifact-tool.ts';
import { findOne } from './find.ts';
import { historyTools } from './history-tools.ts';
import { itemLine } from './item-lines.ts';

export function viewsPlugin(artifacts: Artifacts): Plugin {
  return {
    id: 'views',
    description: 'Views: saved queries over lists and notes that filter, sort and group.',
    skillPath: skillPathOf('views'),
    command: commandOf('views'),
    tools: [
      listViews(artifacts),
      showView(artifacts),
      queryRows(artifacts),
      createView(artifacts),
      changeView(artifacts),
      ...historyTools(artifacts, 'view'),
    ],
  };
}

/** What a view shows are items and notes. */
const READS_ROWS = ['views.read', 'lists.read', 'notes.read'];
const TimeZone = z.string().max(60).optional().describe('What today means, for example Europe/Zurich');

function listViews(artifacts: Artifacts): Tool {
  return artifactTool(
    'views',
    {
      name: 'views_list',
      description: "List the user's views.",
      input: z.strictObject({ limit: Limit, before: z.string().max(200).optional().describe('From an earlier page') }),
      capabilities: ['views.read'],
      risk: 'read',
      operation: 'list',
    },
    async ({ limit, before }, { owner }) => {
      const page = await artifacts.list(owner, { kind: 'view', limit, before });
      const lines = page.artifacts.map(({ id, name, snippet }) => `[${id}] ${oneLine(name)}: ${oneLine(snippet)}`);
      const more = page.next === null ? [] : [`More: use before ${page.next}.`];
      return text([headingFor(lines.length, 'view'), ...lines, ...more]);
    },
  );
}

function showView(artifacts: Artifacts): Tool {
  return artifactTool(
    'views',
    {
      name: 'views_show',
      description: 'Show the items and notes that a view shows now.',
      input: z.strictObject({
        view: Wanted.describe('The view: its ID or its name'),
        limit: Limit,
        timeZone: TimeZone,
      }),
      capabilities: READS_ROWS,
      risk: 'read',
      operation: 'show',
    },
    async ({ view, limit, timeZone }, context) => {
      const found = await findOne(artifacts, context, 'view', view);
      const rows = await artifacts.views.rows(context.owner, found.id, { limit, timeZone }, keptFrom(context));
      return showRows(nameOf(found), rows);
    },
  );
}

function queryRows(artifacts: Artifacts): Tool {
  return artifactTool(
    'views',
    {
      name: 'views_query',
      description: 'Find items and notes with a query, without saving it as a view.',
      input: z.strictObject({ query: ViewQuery, limit: Limit, timeZone: TimeZone }),
      capabilities: READS_ROWS,
      risk: 'read',
      operation: 'query',
    },
    async ({ query, limit, timeZone }, context) =>
      showRows('The query', await artifacts.views.run(context.owner, { query, limit, timeZone }, keptFrom(context))),
  );
}

function showRows(heading: string, { rows, groups, total, fields, lists }: ViewRows): ToolOutput {
  const names = new Map(lists.map(({ id, name }) => [id, name]));
  const lines: string[] = [];
  for (const [index, row] of rows.entries()) {
    const isNew = index === 0 || rows[index - 1]!.group !== row.group;
    if (groups.length > 0 && isNew) lines.push(`${oneLine(names.get(row.group ?? '') ?? row.group ?? 'none')}:`);
    if (row.kind === 'item')
      lines.push(`${itemLine(row.item, fields)} in "${oneLine(names.get(row.item.listId) ?? '', 60)}"`);
    else lines.push(`note [${row.note.id}] ${oneLine(row.note.title)}${tagList(row.note.tags)}`);
  }
  const rest = total - rows.length;
  return text([`${heading}: ${headingFor(total, 'row')}`, ...lines, ...(rest > 0 ? [`and ${rest} more`] : [])]);
}

function createView(artifacts: Artifacts): Tool {
  return artifactTool(
    'views',
    {
      name: 'views_create',
      description: 'Save a query over lists and notes as a view.',
      input: CreateView.omit({ id: true }),
      capabilities: ['views.write'],
      risk: 'write',
      operation: 'create',
    },
    async (wanted, context) => {
      const view = await artifacts.views.create(context.owner, authorOf(context), wanted);
      return `Created the view ${nameOf(view)}.`;
    },
  );
}

function changeView(artifacts: Artifacts): Tool {
  return artifactTool(
    'views',
    {
      name: 'views_change',
      description: 'Change a view: its name, query, layout or columns. Omitted fields stay as they are.',
      input: z.strictObject({
        view: Wanted.describe('The view: its ID or its name'),
        ...PatchView.omit({ base: true }).shape,
        base: Base,
      }),
      capabilities: ['views.write'],
      risk: 'write',
      operation: 'change',
    },
    async ({ view: wanted, ...patch }, context) => {
      const { id } = await findOne(artifacts, context, 'view', wanted);
      const view = await artifacts.views.patch(context.owner, authorOf(context), id, patch);
      return `Changed the view ${nameOf(view)}.`;
    },
  );
}
