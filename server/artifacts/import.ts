import type {
  ExportedArtifacts,
  ExportedList,
  ExportedNote,
  ExportedView,
  ImportedArtifacts,
} from '../../contract/artifact-export.ts';
import { findArtifact, findPluginArtifact } from './artifact-store.ts';
import { IMPORT } from './authors.ts';
import type { ArtifactEdit, ArtifactLog, Changing } from './changing.ts';
import { createArtifact } from './create.ts';
import { findItem } from './item-store.ts';
import { addItems } from './items.ts';

/** So many items are added in one transaction, so that nothing else waits long. */
const AT_ONCE = 500;

/** Adds what is not there yet, under its own ids; what is there already stays as it is, so that it can be repeated. */
export async function importArtifacts(
  log: ArtifactLog,
  owner: string,
  { lists, notes, views }: ExportedArtifacts,
): Promise<ImportedArtifacts> {
  const done: ImportedArtifacts = { lists: 0, items: 0, notes: 0, views: 0, skipped: 0 };
  for (const list of lists) await importList(log, owner, list, done);
  for (const note of notes) await importOne(log, owner, note, 'notes', done);
  for (const view of views) await importOne(log, owner, view, 'views', done);
  return done;
}

async function importOne(
  log: ArtifactLog,
  owner: string,
  wanted: ExportedNote | ExportedView,
  kind: 'notes' | 'views',
  done: ImportedArtifacts,
): Promise<void> {
  const { id, name, plugin = null, text = '', ...content } = wanted as ExportedNote;
  await log.write(owner, IMPORT, async (changing) => {
    if (await findArtifact(changing.db, owner, id)) {
      done.skipped += 1;
      return;
    }
    await createArtifact(changing, { id, kind: kind === 'notes' ? 'note' : 'view', plugin, name, text, content });
    done[kind] += 1;
  });
}

async function importList(log: ArtifactLog, owner: string, list: ExportedList, done: ImportedArtifacts): Promise<void> {
  const { id, isNew } = await log.write(owner, IMPORT, (changing) => openList(changing, list));
  if (isNew) done.lists += 1;
  else if (list.items.length === 0) done.skipped += 1;
  for (let from = 0; from < list.items.length; from += AT_ONCE) {
    const some = list.items.slice(from, from + AT_ONCE);
    const added = await log.write(owner, IMPORT, async (changing) => addMissing(await changing.open(id, 'list'), some));
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

async function addMissing(edit: ArtifactEdit, wanted: ExportedList['items']): Promise<number> {
  const { db, owner } = edit.changing;
  const missing: ExportedList['items'] = [];
  for (const item of wanted) if (!(await findItem(db, owner, item.id))) missing.push(item);
  if (missing.length === 0) return 0;
  const rows = await addItems(edit, { items: missing.map((item) => ({ ...item, done: item.doneAt !== null })) });
  return rows.length;
}
