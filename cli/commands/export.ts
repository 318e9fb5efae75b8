import { writeFile } from 'node:fs/promises';
import { type Command, Option } from 'commander';
import { withClient } from '../connect.ts';
import { DEFAULT_SESSION, requireSession } from '../find-session.ts';
import { note } from '../output.ts';
import { safeJson, safeText } from '../terminal-text.ts';

interface ExportOptions {
  format: 'json' | 'markdown';
  output?: string;
  artifacts?: boolean;
  files: boolean;
  home?: string;
}

export function define(command: Command): void {
  command
    .description('Export a session: every branch as JSON, or the current branch as Markdown.')
    .argument('[session]', 'the session, by name or ID', DEFAULT_SESSION)
    .addOption(new Option('-f, --format <format>', 'the format').choices(['json', 'markdown']).default('json'))
    .option('--artifacts', 'instead of a session: all lists, notes, views and files with their history, as JSON')
    .option('--no-files', 'with --artifacts: without files')
    .option('-o, --output <file>', 'the file to write; default: stdout')
    .option('--home <folder>', 'the data folder')
    .addHelpText('after', EXAMPLES)
    .action(exportSession);
}

async function exportSession(name: string, options: ExportOptions): Promise<void> {
  if (options.artifacts) return exportEverything(options);
  await withClient(options, async ({ client }) => {
    const { id } = await requireSession(client, name);
    const text =
      options.format === 'json'
        ? toJson(await client.call('exportSession', { sessionId: id, query: { format: 'json' } }))
        : await client.callForText('exportSession', { sessionId: id, query: { format: 'markdown' } });
    await write(text, options);
  });
}

async function exportEverything(options: ExportOptions): Promise<void> {
  const { exportArtifacts } = await import('../artifacts/everything.ts');
  await withClient(options, async ({ client }) => {
    await write(toJson(await exportArtifacts(client, { withFiles: options.files })), options);
  });
}

function toJson(value: unknown): string {
  return `${safeJson(value, 2)}\n`;
}

async function write(text: string, { output, format }: ExportOptions): Promise<void> {
  if (output === undefined || output === '-') {
    process.stdout.write(format === 'markdown' ? safeText(text) : text);
    return;
  }
  // What was said is private: only its owner can read the file.
  await writeFile(output, text, { mode: 0o600 });
  note(`Wrote ${output}.`);
}

const EXAMPLES = `
Examples:
  $ parley export trip -o trip.json
  $ parley export trip -f markdown | less`;
