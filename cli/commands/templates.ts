import { text } from 'node:stream/consumers';
import { type Command, Option } from 'commander';
import type { ParleyClient } from '../../client/parley-client.ts';
import type { SessionMode } from '../../contract/sessions.ts';
import type { PatchSessionTemplate, SessionTemplate } from '../../contract/templates.ts';
import { ago } from '../ago.ts';
import { confirm } from '../confirm.ts';
import { type HomeOption, withClient } from '../connect.ts';
import { CommandFailure, EXIT_USAGE } from '../failure.ts';
import { requireSession } from '../find-session.ts';
import { requireTemplate } from '../find-template.ts';
import { look, print, printJson } from '../output.ts';
import { printTable } from '../table.ts';
import { safeLine, safeText } from '../terminal-text.ts';

interface Reading extends HomeOption {
  json?: boolean;
}

export function define(command: Command): void {
  command
    .description('Manage session templates: an agent, title, folder, mode and opening message.')
    .addHelpText('after', EXAMPLES);
  sub(command, 'list', 'list templates', { isDefault: true }).option('--json', 'as JSON').action(list);
  sub(command, 'show <template>', 'show a template').option('--json', 'as JSON').action(show);
  addTemplateFlags(sub(command, 'create <name>', 'create a template'))
    .option('--from <session>', 'copy the agent, folder, mode and first message of this session')
    .option('--json', 'as JSON')
    .action(create);
  addTemplateFlags(sub(command, 'update <template>', 'change a template; other fields stay as they are'))
    .option('--name <name>', 'rename it')
    .action(update);
  sub(command, 'delete <template>', 'delete a template; its sessions are kept')
    .option('-y, --yes', 'do not ask for confirmation')
    .action(remove);
}

function sub(command: Command, name: string, summary: string, options: { isDefault?: boolean } = {}): Command {
  return command.command(name, options).description(summary).option('--home <folder>', 'the data folder');
}

async function list(options: Reading): Promise<void> {
  await withClient(options, async ({ client }) => {
    const { templates } = await client.call('listSessionTemplates');
    if (options.json) return printJson(templates);
    if (templates.length === 0) return print(EMPTY);
    printTable(COLUMNS, templates.map(toRow));
  });
}

const COLUMNS = [
  { title: 'Template', shrinks: true },
  { title: 'Agent', shrinks: true },
  { title: 'Folder', shrinks: true },
  { title: 'Opening', shrinks: true },
  { title: 'Changed' },
];

const SHOWN_OF_OPENING = 60;

function toRow({ name, agentId, folder, opening, sendsOpening, updatedAt }: SessionTemplate): string[] {
  const [line = ''] = opening.trim().split('\n');
  const begins = line.length < opening.trim().length || line.length > SHOWN_OF_OPENING ? '…' : '';
  const shown = `${sendsOpening && line ? '→ ' : ''}${line.slice(0, SHOWN_OF_OPENING)}${begins}`;
  return [name, agentId ?? '-', folder ?? '-', shown || '-', ago(updatedAt)];
}

async function show(name: string, options: Reading): Promise<void> {
  await withClient(options, async ({ client }) => {
    const template = await requireTemplate(client, name);
    if (options.json) return printJson(template);
    print(look().bold(safeLine(template.name)));
    print(look().dim(about(template).map(safeLine).join(' · ')));
    if (template.opening) print(`\n${safeText(template.opening)}`);
  });
}

function about({ agentId, title, folder, mode, opening, sendsOpening }: SessionTemplate): string[] {
  return [
    agentId ?? 'no agent',
    ...(title ? [`title ${title}`] : []),
    ...(folder ? [`folder ${folder}`] : []),
    ...(mode === 'read-only' ? ['read-only'] : []),
    ...(opening && sendsOpening ? ['sends its opening message automatically'] : []),
  ];
}

async function create(name: string, options: TemplateFlags & Reading & { from?: string }): Promise<void> {
  const fields = await readTemplateFlags(options);
  await withClient(options, async ({ client }) => {
    const taken = options.from === undefined ? {} : await readSession(client, options.from);
    const template = await client.call('createSessionTemplate', { body: { ...taken, ...fields, name } });
    if (options.json) return printJson(template);
    print(`Created "${safeLine(template.name)}". Use it with: parley chat --template ${quoted(template.name)}`);
  });
}

/** What one said first is what one is likely to say first again. */
async function readSession(client: ParleyClient, name: string): Promise<PatchSessionTemplate> {
  const { id, agentId, folder, mode } = await requireSession(client, name);
  const { messages } = await client.call('listMessages', { sessionId: id, query: { after: 0, limit: 1 } });
  const opening = messages.find(({ role, agent }) => role === 'user' && agent === null)?.text ?? '';
  return { agentId, folder, mode, opening };
}

async function update(name: string, options: TemplateFlags & HomeOption & { name?: string }): Promise<void> {
  const fields = await readTemplateFlags(options);
  const patch = { ...fields, ...(options.name !== undefined && { name: options.name }) };
  if (Object.keys(patch).length === 0)
    throw new CommandFailure('Nothing to change. See: parley templates update --help', EXIT_USAGE);
  await withClient(options, async ({ client }) => {
    const template = await requireTemplate(client, name);
    const changed = await client.call('patchSessionTemplate', { templateId: template.id, body: patch });
    print(`Updated "${safeLine(changed.name)}".`);
  });
}

async function remove(name: string, options: HomeOption & { yes?: boolean }): Promise<void> {
  await withClient(options, async ({ client }) => {
    const template = await requireTemplate(client, name);
    await confirm(`Delete the template "${safeLine(template.name)}"? Sessions created from it are kept.`, options.yes);
    await client.call('deleteSessionTemplate', { templateId: template.id });
    print(`Deleted "${safeLine(template.name)}".`);
  });
}

/** As one would type it in a shell. */
function quoted(name: string): string {
  return /^[\w.-]+$/.test(name) ? name : `'${safeLine(name).replaceAll("'", `'\\''`)}'`;
}

const EMPTY = 'No templates yet. Create one with: parley templates create standup -a AGENT --opening "Today I "';

const EXAMPLES = `
Refer to a template by its name. In the list, → marks an opening message that is sent automatically.

Examples:
  $ parley templates
  $ parley templates create standup -a wisp/concierge --folder Mornings --opening "Yesterday I "
  $ parley templates create briefing -a wisp/concierge --opening "What is on today?" --send
  $ parley templates create trip-plan --from trip
  $ parley templates update standup --title Standup --folder ""
  $ parley chat --template standup`;

interface TemplateFlags {
  agent?: string;
  title?: string;
  folder?: string;
  mode?: SessionMode;
  opening?: string;
  send?: boolean;
}

function addTemplateFlags(command: Command): Command {
  return command
    .option('-a, --agent <agent>', 'the agent; "" for none')
    .option('--title <title>', 'title of its sessions; "" for the first message')
    .option('--folder <name>', 'folder of its sessions; "" for none')
    .addOption(
      new Option('--mode <mode>', 'read-only: agents can only use read-only tools').choices(['full', 'read-only']),
    )
    .option('--opening <text>', 'the opening message; - reads it from standard input')
    .option('--send', 'send the opening message automatically')
    .option('--no-send', 'leave the opening message to be edited');
}

/** What is not named is left out; an empty value clears. */
async function readTemplateFlags(flags: TemplateFlags): Promise<PatchSessionTemplate> {
  const { agent, title, folder, mode, opening, send } = flags;
  return {
    ...(agent !== undefined && { agentId: agent || null }),
    ...(title !== undefined && { title: title || null }),
    ...(folder !== undefined && { folder: folder || null }),
    ...(mode !== undefined && { mode }),
    ...(opening !== undefined && { opening: opening === '-' ? (await text(process.stdin)).trimEnd() : opening }),
    ...(send !== undefined && { sendsOpening: send }),
  };
}
