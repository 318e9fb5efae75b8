import type { ParleyClient } from '../../client/parley-client.ts';
import type { ExportedArtifacts, ExportedFile, ExportedPart } from '../../contract/artifact-export.ts';
import type { FileContents } from '../../contract/artifact-files.ts';
import type { ArtifactKind } from '../../contract/artifacts.ts';
import { CommandFailure } from '../failure.ts';
import { print } from '../output.ts';
import { allArtifacts } from './find-artifact.ts';
import { partsOf } from './import-parts.ts';

const FORMAT = { format: 'parley-artifacts', version: 1 } as const;
const KINDS: readonly ArtifactKind[] = ['list', 'note', 'view', 'file'];
/** More than that does not fit into one text, as which the export is written and read. */
const MOST_CONTENTS = 250_000_000;

/** What is exported, with the contents of files by their hash, in base64. */
export interface Export extends ExportedArtifacts {
  contents?: Record<string, string>;
}

interface ExportOptions {
  readonly withFiles: boolean;
}

/** All lists, notes, views and files, also in the trash, with their history. */
export async function exportArtifacts(client: ParleyClient, { withFiles }: ExportOptions): Promise<Export> {
  const empty = { lists: [], notes: [], views: [], files: [] };
  const all: Export = { ...FORMAT, exportedAt: new Date().toISOString(), ...empty };
  for (const kind of KINDS) {
    if (kind === 'file' && !withFiles) continue;
    for (const deleted of [false, true])
      for await (const { id } of allArtifacts(client, kind, deleted)) await exportOne(client, id, all);
  }
  all.contents = await readContents(client, all.files);
  return all;
}

/** Puts the parts of one artifact together. */
async function exportOne(client: ParleyClient, artifactId: string, all: Export): Promise<void> {
  for (let after: string | undefined, first: ExportedPart | undefined; ; ) {
    const part = await client.call('exportArtifact', { artifactId, query: { after } });
    if (first) join(first, part);
    else first = part;
    if (part.next !== null) {
      after = part.next;
      continue;
    }
    for (const kind of ['lists', 'notes', 'views', 'files'] as const) all[kind].push(...(first[kind] as never[]));
    return;
  }
}

function join(first: ExportedPart, { lists, notes, views, files }: ExportedPart): void {
  first.lists[0]?.items.push(...(lists[0]?.items ?? []));
  for (const [known, more] of [
    [first.lists[0], lists[0]],
    [first.notes[0], notes[0]],
    [first.views[0], views[0]],
    [first.files[0], files[0]],
  ] as const)
    known?.history?.changes.push(...(more?.history?.changes ?? []));
}

async function readContents(client: ParleyClient, files: readonly ExportedFile[]): Promise<Record<string, string>> {
  const wanted = new Map<string, { id: string; version: number; bytes: number }>();
  for (const file of files)
    for (const { version, contents } of versionsOf(file))
      wanted.set(contents.sha256, { id: file.id, version, bytes: contents.bytes });
  const total = [...wanted.values()].reduce((sum, { bytes }) => sum + bytes, 0);
  if (total > MOST_CONTENTS)
    throw new CommandFailure(
      `The files have ${total} bytes with all their versions, which is too much for one export. Leave them out with --no-files, and export them with: parley files export`,
    );
  const contents: Record<string, string> = {};
  for (const [sha256, { id, version }] of wanted) {
    const read = await client.readArtifactFile(id, version);
    contents[sha256] = Buffer.from(await read.arrayBuffer()).toString('base64');
  }
  return contents;
}

/** The versions that new contents have made. */
export function versionsOf({ history }: Pick<ExportedFile, 'history'>): { version: number; contents: FileContents }[] {
  const changes = history?.changes ?? [];
  return changes.flatMap(({ version, after }) => (after?.contents ? [{ version, contents: after.contents }] : []));
}

export function isExportOfArtifacts(content: unknown): content is Export {
  return typeof content === 'object' && content !== null && (content as { format?: unknown }).format === FORMAT.format;
}

/** In requests of a size that every server takes. What is there already is left as it is. */
export async function importArtifacts(client: ParleyClient, content: Export): Promise<void> {
  const done = { lists: 0, items: 0, notes: 0, views: 0, files: 0, skipped: 0 };
  const { contents = {}, ...exported } = content;
  for (const part of partsOf(exported)) {
    for (const file of part.files ?? []) await upload(client, file, contents);
    const imported = await client.call('importArtifacts', { body: part });
    for (const key of Object.keys(done) as (keyof typeof done)[]) done[key] += imported[key];
  }
  const { lists, items, notes, views, files, skipped } = done;
  print(
    `Imported lists: ${lists}, items: ${items}, notes: ${notes}, views: ${views}, files: ${files}. Already there: ${skipped}.`,
  );
}

/** The server knows contents by their hash once they are there. */
async function upload(client: ParleyClient, file: ExportedFile, kept: Record<string, string>): Promise<void> {
  const known = new Map(
    [file.contents, ...versionsOf(file).map(({ contents }) => contents)].map((one) => [one.sha256, one]),
  );
  for (const [sha256, { mediaType }] of known) {
    const base64 = Object.hasOwn(kept, sha256) ? kept[sha256] : undefined;
    // What is missing is said by the server, unless it has the same contents already.
    if (typeof base64 !== 'string') continue;
    const query = { name: file.name.slice(0, 100) };
    await client.call('uploadFile', { query, contents: Buffer.from(base64, 'base64'), mediaType });
  }
}
