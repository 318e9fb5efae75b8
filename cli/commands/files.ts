import type { Command } from 'commander';
import type { ParleyClient } from '../../client/parley-client.ts';
import type { ArtifactFile } from '../../contract/artifact-files.ts';
import type { ArtifactSummary } from '../../contract/artifacts.ts';
import { mediaTypeOfName } from '../../contract/media-types.ts';
import { ago } from '../ago.ts';
import { requireArtifact } from '../artifacts/find-artifact.ts';
import { addSharedCommands, heading, type Reading, sub } from '../artifacts/shared-commands.ts';
import { type HomeOption, withClient } from '../connect.ts';
import { CommandFailure, EXIT_USAGE } from '../failure.ts';
import { print, printJson } from '../output.ts';
import { printTable } from '../table.ts';
import { safeLine, safeText } from '../terminal-text.ts';

export function define(command: Command): void {
  command.description('Show and keep files that agents have made, or that you add.').addHelpText('after', EXAMPLES);
  addSharedCommands(command, 'file');
  sub(command, 'show <file>', 'show what a file is, and its versions').option('--json', 'as JSON').action(show);
  sub(command, 'add <path>', 'keep a copy of a file of this machine')
    .option('--name <name>', 'the name; default: its name there')
    .option('--tag <tags...>', 'tags')
    .option('--json', 'as JSON')
    .action(add);
  sub(command, 'edit <file>', 'change a file; other fields stay as they are')
    .option('--name <name>', 'rename it')
    .option('--tag <tags...>', 'tags; "" for none')
    .option('--contents <path>', 'give it the contents of a file of this machine')
    .action(edit);
  sub(command, 'export <file>', 'write the contents of a file to a file or to stdout')
    .option('--version <number>', 'as it was in this version')
    .option('-o, --output <path>', 'the file to write; default: stdout')
    .action(exportFile);
}

async function load(client: ParleyClient, name: string): Promise<ArtifactFile> {
  const { id } = await requireArtifact(client, 'file', name);
  return client.call('getArtifactFile', { artifactFileId: id });
}

async function show(name: string, options: Reading): Promise<void> {
  await withClient(options, async ({ client }) => {
    const file = await load(client, name);
    const { versions } = await client.call('listArtifactFileVersions', { artifactFileId: file.id });
    if (options.json) return printJson({ ...file, versions });
    const tags = file.tags.map((tag) => `#${tag}`);
    heading(file.name, [file.contents.mediaType, `${file.contents.bytes} bytes`, ...tags, `version ${file.version}`]);
    print('');
    printTable(
      [{ title: 'Version' }, { title: 'Bytes' }, { title: 'By', shrinks: true }, { title: 'When' }],
      versions.map(({ version, contents, by, at }) => [
        String(version),
        String(contents.bytes),
        by.agentId ?? (by.kind === 'person' ? 'you' : by.kind),
        ago(at),
      ]),
    );
  });
}

interface Adding extends Reading {
  name?: string;
  tag?: string[];
}

async function add(path: string, { name, tag = [], ...options }: Adding): Promise<void> {
  const { basename } = await import('node:path');
  const called = name ?? basename(path);
  const contents = await read(path);
  await withClient(options, async ({ client }) => {
    const fileId = await upload(client, called, contents);
    const body = { name: called, fileId, tags: tag.filter(Boolean) };
    const file = await client.call('createArtifactFile', { body });
    if (options.json) return printJson(file);
    print(`Kept "${safeLine(file.name)}" (${file.id}).`);
  });
}

interface Editing extends HomeOption {
  name?: string;
  tag?: string[];
  contents?: string;
}

async function edit(wanted: string, { name, tag, contents: path, ...options }: Editing): Promise<void> {
  if (name === undefined && tag === undefined && path === undefined)
    throw new CommandFailure('Nothing to change. See: parley files edit --help', EXIT_USAGE);
  const contents = path === undefined ? undefined : await read(path);
  await withClient(options, async ({ client }) => {
    const known = await load(client, wanted);
    const fileId = contents && (await upload(client, name ?? known.name, contents));
    const body = {
      ...(name !== undefined && { name }),
      ...(tag !== undefined && { tags: tag.filter(Boolean) }),
      ...(fileId !== undefined && { fileId }),
    };
    const file = await client.call('patchArtifactFile', { artifactFileId: known.id, body });
    print(`Changed "${safeLine(file.name)}"; it is version ${file.version} now.`);
  });
}

interface Exporting extends HomeOption {
  version?: string;
  output?: string;
}

async function exportFile(name: string, { version: given, output, ...options }: Exporting): Promise<void> {
  const version = given === undefined ? undefined : Number(given);
  if (version !== undefined && !Number.isInteger(version))
    throw new CommandFailure('--version must be a number of the history.', EXIT_USAGE);
  await withClient(options, async ({ client }) => {
    const file: ArtifactSummary = await requireArtifact(client, 'file', name);
    const contents = Buffer.from(await (await client.readArtifactFile(file.id, version)).arrayBuffer());
    if (output !== undefined && output !== '-') return write(output, contents);
    if (!process.stdout.isTTY) return void process.stdout.write(contents);
    if (contents.includes(0)) throw new CommandFailure('This is not text. Write it to a file with -o.', EXIT_USAGE);
    process.stdout.write(safeText(contents.toString('utf8')));
  });
}

async function write(output: string, contents: Buffer): Promise<void> {
  const { writeFile } = await import('node:fs/promises');
  await writeFile(output, contents, { mode: 0o600 });
  process.stderr.write(`Wrote ${output}.\n`);
}

async function read(path: string): Promise<Buffer> {
  const { readFile } = await import('node:fs/promises');
  try {
    return await readFile(path);
  } catch (error) {
    throw new CommandFailure(`Can't read ${path} (${(error as NodeJS.ErrnoException).code}).`);
  }
}

async function upload(client: ParleyClient, name: string, contents: Buffer): Promise<string> {
  const mediaType = mediaTypeOfName(name);
  // A name is shown in its own field; the one of the upload is only as long as names of files are.
  const { id } = await client.call('uploadFile', { query: { name: name.slice(0, 100) }, contents, mediaType });
  return id;
}

const EXAMPLES = `
Refer to a file by its name or ID. Agents make files with their artifact_files tools.

Examples:
  $ parley files
  $ parley files add report.pdf --tag work
  $ parley files export report.pdf -o ~/report.pdf
  $ parley files edit report.pdf --contents report-2.pdf
  $ parley files export report.pdf --version 1 -o first.pdf
  $ parley files undo report.pdf`;
