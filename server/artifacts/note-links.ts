import type { Note } from '../../contract/notes.ts';
import { nameKey } from '../storage/name-key.ts';
import type { ArtifactRow, Db } from '../storage/tables.ts';
import { deleteLinks, insertLinks, selectLinking, selectTargets } from './note-link-store.ts';

const LINK = /\[\[([^[\]\n|]{1,200})(?:\|[^[\]\n]{0,200})?\]\]/g;
const MOST_LINKS = 500;

/** The names that a text links to, `[[Name]]` or `[[Name|other words]]`, each once, in the order of the text. */
export function linkedNames(text: string): string[] {
  const names = new Map<string, string>();
  for (const [, written] of text.matchAll(LINK)) {
    const name = written!.trim();
    if (name !== '' && !names.has(nameKey(name))) names.set(nameKey(name), name);
    if (names.size === MOST_LINKS) break;
  }
  return [...names.values()];
}

/** Remembers what a note links to, so that what it links to can say so. */
export async function saveLinks(db: Db, { owner, id, text }: ArtifactRow): Promise<void> {
  await deleteLinks(db, owner, id);
  await insertLinks(
    db,
    linkedNames(text).map((name) => ({ owner, note_id: id, name_key: nameKey(name) })),
  );
}

export async function readLinks(db: Db, note: ArtifactRow): Promise<Pick<Note, 'links' | 'linkedFrom'>> {
  const names = linkedNames(note.text);
  const found = names.length === 0 ? [] : await selectTargets(db, note.owner, JSON.stringify(names.map(nameKey)));
  // The oldest comes last, and is the one that counts.
  const targets = new Map(found.map(({ name_key, id }) => [name_key, id]));
  const linking = await selectLinking(db, note.owner, note.name_key, note.id);
  return {
    links: names.map((name) => ({ name, artifactId: targets.get(nameKey(name)) ?? null })),
    linkedFrom: linking.map(({ id, name }) => ({ artifactId: id, name })),
  };
}
