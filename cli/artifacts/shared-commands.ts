import type { Command } from 'commander';
import type { ArtifactChange, ArtifactKind, ArtifactSummary } from '../../contract/artifacts.ts';
import { ago } from '../ago.ts';
import { confirm } from '../confirm.ts';
import { type HomeOption, withClient } from '../connect.ts';
import { counted } from '../counted.ts';
import { CommandFailure, EXIT_USAGE } from '../failure.ts';
import { look, print, printJson } from '../output.ts';
import { printTable } from '../table.ts';
import { safeLine } from '../terminal-text.ts';
import { allArtifacts, requireArtifact } from './find-artifact.ts';

export interface Reading extends HomeOption {
  json?: boolean;
}

export function sub(command: Command, name: string, summary: string, options: { isDefault?: boolean } = {}): Command {
  return command.command(name, options).description(summary).option('--home <folder>', 'the data folder');
}

/** What lists, notes and views have in common. */
export function addSharedCommands(command: Command, kind: ArtifactKind): void {
  sub(command, 'list', `list ${kind}s, most recently changed first`, { isDefault: true })
    .option('--deleted', 'what is in the trash')
    .option('--json', 'as JSON')
    .action((options: Reading & { deleted?: boolean }) => list(kind, options));
  sub(command, `history <${kind}>`, 'show who changed what, newest first')
    .option('-n, --limit <number>', 'how many changes', '20')
    .option('--json', 'as JSON')
    .action((name: string, options: Reading & { limit: string }) => history(kind, name, options));
  sub(command, `undo <${kind}> [versions...]`, 'take changes back, by their numbers; default: the last one')
    .option('--force', 'also where something has changed again since')
    .action((name: string, versions: string[], options: HomeOption & { force?: boolean }) =>
      undo(kind, name, versions, options),
    );
  sub(command, `delete <${kind}>`, `move a ${kind} to the trash`)
    .option('--permanently', 'delete it for good, with its history')
    .option('-y, --yes', 'do not ask for confirmation')
    .action((name: string, options: Deleting) => remove(kind, name, options));
  sub(command, `restore <${kind}>`, `take a ${kind} out of the trash`).action((name: string, options: HomeOption) =>
    restore(kind, name, options),
  );
}

async function list(kind: ArtifactKind, options: Reading & { deleted?: boolean }): Promise<void> {
  await withClient(options, async ({ client }) => {
    const found: ArtifactSummary[] = [];
    for await (const artifact of allArtifacts(client, kind, options.deleted ?? false)) found.push(artifact);
    if (options.json) return printJson(found);
    if (found.length === 0)
      return print(options.deleted ? 'The trash is empty.' : `No ${kind}s yet. See: parley ${kind}s new --help`);
    printTable(
      COLUMNS[kind] ?? COLUMNS.note!,
      found.map((artifact) => toRow(kind, artifact)),
    );
  });
}

const NAME = { title: 'Name', shrinks: true };
const REST = [{ title: 'Content', shrinks: true }, { title: 'Changed' }, { title: 'ID' }];
const COLUMNS: Partial<Record<ArtifactKind, { title: string; shrinks?: boolean }[]>> = {
  list: [NAME, { title: 'Open' }, ...REST],
  note: [NAME, ...REST],
};

function toRow(kind: ArtifactKind, { name, count, snippet, updatedAt, id }: ArtifactSummary): string[] {
  const open = kind === 'list' ? [String(count)] : [];
  return [name, ...open, snippet.slice(0, 80) || '-', ago(updatedAt), id];
}

async function history(kind: ArtifactKind, name: string, options: Reading & { limit: string }): Promise<void> {
  const limit = Number(options.limit);
  if (!Number.isInteger(limit) || limit < 1 || limit > 500)
    throw new CommandFailure('--limit must be a number from 1 to 500.', EXIT_USAGE);
  await withClient(options, async ({ client }) => {
    const { id } = await requireArtifact(client, kind, name);
    const { changes } = await client.call('listArtifactChanges', { artifactId: id, query: { limit } });
    if (options.json) return printJson(changes);
    printTable(
      [
        { title: 'Version' },
        { title: 'Change' },
        { title: 'What', shrinks: true },
        { title: 'By', shrinks: true },
        { title: 'When' },
      ],
      changes.map(changeRow),
    );
  });
}

function changeRow({ version, type, title, by, at, before, after, undoneBy, undoes }: ArtifactChange): string[] {
  const fields = [...new Set(Object.keys({ ...before, ...after }))].filter((field) => field !== 'rank');
  const what = type === 'changed' || type === 'item_changed' ? `${title}: ${fields.join(', ')}` : title;
  const undone = undoneBy === null ? '' : ` (undone in ${undoneBy})`;
  const undoing = undoes === null ? '' : ` (undoes ${undoes})`;
  return [
    String(version),
    type.replace('_', ' '),
    `${what}${undone}${undoing}`,
    by.agentId ?? (by.kind === 'person' ? 'you' : by.kind),
    ago(at),
  ];
}

async function undo(
  kind: ArtifactKind,
  name: string,
  given: string[],
  options: HomeOption & { force?: boolean },
): Promise<void> {
  const numbers = given.map(Number);
  if (numbers.some((version) => !Number.isInteger(version) || version < 2))
    throw new CommandFailure('Versions are the numbers that the history shows, from 2 on.', EXIT_USAGE);
  await withClient(options, async ({ client }) => {
    const artifact = await requireArtifact(client, kind, name);
    const versions = numbers.length > 0 ? numbers : [artifact.version];
    if (versions[0] === 1)
      throw new CommandFailure(`"${safeLine(artifact.name)}" was only created. To delete it: parley ${kind}s delete`);
    const body = { versions, force: options.force ?? false };
    const { changes, version } = await client.call('undoArtifactChanges', { artifactId: artifact.id, body });
    const number = counted(changes.length, 'change');
    print(`Undid ${number} of "${safeLine(artifact.name)}"; now version ${version}.`);
  });
}

interface Deleting extends HomeOption {
  permanently?: boolean;
  yes?: boolean;
}

async function remove(
  kind: ArtifactKind,
  name: string,
  { permanently = false, yes, ...options }: Deleting,
): Promise<void> {
  await withClient(options, async ({ client }) => {
    const inTrash = permanently && (await isInTrash());
    const artifact = await requireArtifact(client, kind, name, { deleted: inTrash });
    const shown = safeLine(artifact.name);
    if (permanently) await confirm(`Delete "${shown}" and its history? This cannot be undone.`, yes);
    await client.call('deleteArtifact', { artifactId: artifact.id, query: { permanently } });
    print(
      permanently
        ? `Deleted "${shown}".`
        : `Moved "${shown}" to the trash. To restore it: parley ${kind}s restore ${artifact.id}`,
    );
    async function isInTrash(): Promise<boolean> {
      for await (const { id, name: known } of allArtifacts(client, kind))
        if (id === name || known === name) return false;
      return true;
    }
  });
}

async function restore(kind: ArtifactKind, name: string, options: HomeOption): Promise<void> {
  await withClient(options, async ({ client }) => {
    const { id } = await requireArtifact(client, kind, name, { deleted: true });
    const restored = await client.call('restoreArtifact', { artifactId: id });
    print(`Restored "${safeLine(restored.name)}".`);
  });
}

export function heading(name: string, facts: readonly string[]): void {
  print(look().bold(safeLine(name)));
  if (facts.length > 0) print(look().dim(facts.map(safeLine).join(' · ')));
}

/** What is to be written, `-` standing for standard input. */
export async function textOf(given: string): Promise<string> {
  if (given !== '-') return given;
  const { text } = await import('node:stream/consumers');
  return (await text(process.stdin)).replace(/\r?\n$/, '');
}

export async function writeOut(content: string, output: string | undefined): Promise<void> {
  if (output === undefined || output === '-') {
    process.stdout.write(content);
    return;
  }
  const { writeFile } = await import('node:fs/promises');
  await writeFile(output, content, { mode: 0o600 });
  process.stderr.write(`Wrote ${output}.\n`);
}

/** One row of a CSV file; what holds a separator is quoted, and nothing is read as a formula by a spreadsheet. */
export function csvRow(cells: readonly unknown[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`;
}

function csvCell(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  const plain = String(value);
  const safe = /^[=+\-@\t\r]/.test(plain) ? `'${plain}` : plain;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
