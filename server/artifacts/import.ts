import type {
  ExportedArtifacts,
  ExportedFile,
  ExportedItem,
  ExportedList,
  ExportedNote,
  ExportedView,
  ImportedArtifacts,
} from '../../contract/artifact-export.ts';
import type { FileContents } from '../../contract/artifact-files.ts';
import { findArtifact, findPluginArtifact } from './artifact-store.ts';
import { IMPORT } from './authors.ts';
import type { ArtifactEdit, ArtifactLog, Changing } from './changing.ts';
import { createArtifact } from './create.ts';
import { keepUploaded, readWords } from './file-contents.ts';
import {
  addChanges,
  addItemsWithHistory,
  type ItemWithHistory,
  openWithHistory,
  type WithHistory,
} from './import-history.ts';
import { findItem } from './item-store.ts';
import { addItems } from './items.ts';

/** So many items are added in one transaction, so that nothing else waits long. */
const AT_ONCE = 500;

interface Importing {
  readonly log: ArtifactLog;
  readonly owner: string;
  /** How large all kept files may be. */
  readonly limit: number;
}

type Counts = ImportedArtifacts;

/**
 * Adds what is not there yet, under its own ids; what is there already stays as it is, so that it can be repeated. What
 * comes with its history is as it was; anything else begins with the import.
 */
export async function importArtifacts(
  importing: Importing,
  { lists, notes, views, files }: ExportedArtifacts,
): Promise<ImportedArtifacts> {
  const done: Counts = { lists: 0, items: 0, notes: 0, views: 0, files: 0, skipped: 0 };
  for (const list of lists) await importList(importing, list, done);
  for (const note of notes) await importNote(importing, note, done);
  for (const view of views) await importView(importing, view, done);
  for (const file of files) await importFile(importing, file, done);
  return done;
}

function write<T>({ log, owner }: Importing, work: (changing: Changing) => Promise<T>): Promise<T> {
  return log.write(owner, IMPORT, work);
}

function importNote(importing: Importing, note: ExportedNote, done: Counts): Promise<void> {
  const { id, name, plugin, text, history, ...content } = note;
  return write(importing, async (changing) => {
    const outcome = history
      ? await addWhole(changing, { ...note, history }, { kind: 'note', text, content })
      : await addPlain(changing, { id, kind: 'note', plugin, name, text, content });
    count(done, 'notes', outcome);
  });
}

function importView(importing: Importing, view: ExportedView, done: Counts): Promise<void> {
  const { id, name, history, ...content } = view;
  return write(importing, async (changing) => {
    const outcome = history
      ? await addWhole(changing, { ...view, history }, { kind: 'view', content })
      : await addPlain(changing, { id, kind: 'view', name, content });
    count(done, 'views', outcome);
  });
}

/** Its contents, and those of its versions, were uploaded before. */
function importFile(importing: Importing, file: ExportedFile, done: Counts): Promise<void> {
  const { id, name, history, ...content } = file;
  return write(importing, async (changing) => {
    const versions = (history?.changes ?? []).flatMap(({ after }) => after?.contents ?? []);
    const known = await findArtifact(changing.db, changing.owner, id);
    if (known && !history) return count(done, 'files', 'known');
    for (const contents of [content.contents, ...versions]) await keepUnlessKnown(importing, changing, id, contents);
    const text = await readWords(changing, id, content.contents);
    const outcome = history
      ? await addWhole(changing, { ...file, history }, { kind: 'file', text, content })
      : await addPlain(changing, { id, kind: 'file', name, text, content });
    count(done, 'files', outcome);
  });
}

async function keepUnlessKnown({ limit }: Importing, changing: Changing, id: string, contents: FileContents) {
  const known = await findArtifact(changing.db, changing.owner, id);
  if (known && known.kind !== 'file') return;
  await keepUploaded(changing, id, contents, limit);
}

type Kind = 'notes' | 'views' | 'files';

/** `more`: a further part of the history of one that was counted already. */
type Outcome = 'new' | 'more' | 'known';

function count(done: Counts, kind: Kind, outcome: Outcome): void {
  if (outcome !== 'more') done[outcome === 'new' ? kind : 'skipped'] += 1;
}

type Whole = Parameters<typeof openWithHistory>[2];
type Exported = Parameters<typeof openWithHistory>[1];

async function addWhole(changing: Changing, exported: Exported, whole: Whole): Promise<Outcome> {
  const opened = await openWithHistory(changing, exported, whole);
  const added = opened ? await addChanges(changing, opened.row, exported.history.changes) : 0;
  return opened?.isNew ? 'new' : added > 0 ? 'more' : 'known';
}

async function addPlain(
  changing: Changing,
  wanted: Parameters<typeof createArtifact>[1] & { id: string },
): Promise<Outcome> {
  if (await findArtifact(changing.db, changing.owner, wanted.id)) return 'known';
  await createArtifact(changing, wanted);
  return 'new';
}

async function importList(importing: Importing, list: ExportedList, done: Counts): Promise<void> {
  const { history } = list;
  const isWhole = history !== undefined && (await importWhole(importing, { ...list, history }, done));
  if (isWhole) return;
  // The list of a plugin that is there already gets the items and keeps its own history.
  if (history && (history.deletedAt !== null || list.plugin === null)) {
    done.skipped += 1 + list.items.length;
    return;
  }
  const { id, isNew } = await write(importing, (changing) => openList(changing, list));
  if (isNew) done.lists += 1;
  else if (list.items.length === 0) done.skipped += 1;
  await addInPieces(
    importing,
    list.items.filter((item) => !item.history?.deletedAt),
    done,
    async (changing, some) => addMissing(await changing.open(id, 'list'), some),
  );
}

/** False: another list has its id, or its plugin keeps another one. */
async function importWhole(importing: Importing, list: WithHistory<ExportedList>, done: Counts): Promise<boolean> {
  const { id, plugin, description, fields, items, history } = list;
  const opened = await write(importing, async (changing) => {
    const isKept = plugin !== null && history.deletedAt === null;
    const ofPlugin = isKept ? await findPluginArtifact(changing.db, changing.owner, plugin) : undefined;
    if (ofPlugin && ofPlugin.id !== id) return null;
    const found = await openWithHistory(changing, list, { kind: 'list', content: { description, fields } });
    return found && { ...found, added: await addChanges(changing, found.row, history.changes) };
  });
  if (!opened) return false;
  if (opened.isNew) done.lists += 1;
  else if (items.length === 0 && opened.added === 0) done.skipped += 1;
  await addInPieces(importing, items, done, async (changing, some) => {
    const row = (await findArtifact(changing.db, changing.owner, id))!;
    const plain = some.filter((item) => item.history === undefined);
    const added = await addItemsWithHistory(changing, row, some.filter(hasHistory));
    return added + (plain.length === 0 ? 0 : await addMissing(await changing.open(id, 'list'), plain));
  });
  return true;
}

function hasHistory(item: ExportedItem): item is ItemWithHistory {
  return item.history !== undefined;
}

async function addInPieces(
  importing: Importing,
  items: readonly ExportedItem[],
  done: Counts,
  add: (changing: Changing, some: readonly ExportedItem[]) => Promise<number>,
): Promise<void> {
  for (let from = 0; from < items.length; from += AT_ONCE) {
    const some = items.slice(from, from + AT_ONCE);
    const added = await write(importing, (changing) => add(changing, some));
    done.items += added;
    done.skipped += some.length - added;
  }
}

/** A plugin keeps one list: what it kept elsewhere is added to that. */
async function openList(changing: Changing, { id, name, plugin, description, fields }: ExportedList) {
  const { db, owner } = changing;
  const ofPlugin = plugin === null ? undefined : await findPluginArtifact(db, owner, plugin);
  const known = ofPlugin ?? (await findArtifact(db, owner, id));
  if (known) return { id: known.id, isNew: false };
  await createArtifact(changing, { id, kind: 'list', plugin, name, content: { description, fields } });
  return { id, isNew: true };
}

async function addMissing(edit: ArtifactEdit, wanted: readonly ExportedItem[]): Promise<number> {
  const { db, owner } = edit.changing;
  const missing: ExportedItem[] = [];
  for (const item of wanted) if (!(await findItem(db, owner, item.id))) missing.push(item);
  if (missing.length === 0) return 0;
  const rows = await addItems(edit, {
    items: missing.map(({ history: _, ...item }) => ({ ...item, done: item.doneAt !== null })),
  });
  return rows.length;
}
