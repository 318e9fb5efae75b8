import type { ParleyClient } from '../../client/parley-client.ts';
import type { ExportedArtifacts } from '../../contract/artifact-export.ts';
import type { ArtifactSummary } from '../../contract/artifacts.ts';
import { print } from '../output.ts';
import { allArtifacts, readItems } from './find-artifact.ts';

const FORMAT = { format: 'parley-artifacts', version: 1 } as const;
/** Of one list, in one request. */
const MOST_ITEMS = 5000;

/** All lists, notes and views that are not in the trash. */
export async function exportArtifacts(client: ParleyClient): Promise<ExportedArtifacts> {
  const all: ExportedArtifacts = { ...FORMAT, exportedAt: new Date().toISOString(), lists: [], notes: [], views: [] };
  for await (const artifact of allArtifacts(client, 'list')) all.lists.push(await exportList(client, artifact));
  for await (const { id } of allArtifacts(client, 'note')) {
    const { name, plugin, text, tags, date, mood } = await client.call('getNote', { noteId: id });
    all.notes.push({ id, name, plugin, text, tags, date, mood });
  }
  for await (const { id } of allArtifacts(client, 'view')) {
    const { name, query, layout, columns, dateField } = await client.call('getView', { viewId: id });
    all.views.push({ id, name, query, layout, columns, dateField });
  }
  return all;
}

async function exportList(client: ParleyClient, { id }: ArtifactSummary): Promise<ExportedArtifacts['lists'][number]> {
  const { name, plugin, description, fields } = await client.call('getList', { listId: id });
  const items = (await readItems(client, id)).map((item) => {
    const { title, notes, due, tags, values, doneAt } = item;
    return { id: item.id, title, notes, due, tags, values, doneAt };
  });
  return { id, name, plugin, description, fields, items };
}

export function isExportOfArtifacts(content: unknown): content is ExportedArtifacts {
  return typeof content === 'object' && content !== null && (content as { format?: unknown }).format === FORMAT.format;
}

/** In requests of a size that every server takes. What is there already is left as it is. */
export async function importArtifacts(client: ParleyClient, content: ExportedArtifacts): Promise<void> {
  const done = { lists: 0, items: 0, notes: 0, views: 0, skipped: 0 };
  for (const part of partsOf(content)) {
    const imported = await client.call('importArtifacts', { body: part });
    for (const key of Object.keys(done) as (keyof typeof done)[]) done[key] += imported[key];
  }
  const { lists, items, notes, views, skipped } = done;
  print(`Imported lists: ${lists}, items: ${items}, notes: ${notes}, views: ${views}. Already there: ${skipped}.`);
}

function* partsOf(content: ExportedArtifacts): Generator<ExportedArtifacts> {
  const { lists = [], notes = [], views = [], ...rest } = content;
  // The server says what is wrong with it.
  const isWhole = [lists, notes, views].every(Array.isArray) && lists.every(({ items }) => Array.isArray(items));
  if (!isWhole || lists.length + notes.length + views.length === 0) return yield content;
  for (const list of lists) {
    for (let from = 0; from === 0 || from < list.items.length; from += MOST_ITEMS)
      yield { ...rest, lists: [{ ...list, items: list.items.slice(from, from + MOST_ITEMS) }], notes: [], views: [] };
  }
  for (const note of notes) yield { ...rest, lists: [], notes: [note], views: [] };
  if (views.length > 0) yield { ...rest, lists: [], notes: [], views };
}
