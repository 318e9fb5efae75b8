import { AppError } from '../../contract/errors.ts';
import { MOST_NOTE } from '../../contract/notes.ts';
import { say } from '../../contract/texts.ts';
import { nameKey } from '../storage/name-key.ts';
import type { ArtifactRow } from '../storage/tables.ts';
import { selectOwnChangesAfter } from './change-store.ts';
import type { ArtifactEdit } from './changing.ts';
import { readWords } from './file-contents.ts';
import { assertNoConflict, type BaseOf, basesBefore, type Fields, mergeFields, pick } from './merge-fields.ts';
import { saveLinks } from './note-links.ts';
import { keepText, textAt, textChange } from './note-text.ts';
import { contentOf, type FileContent } from './shapes.ts';

/** What an artifact consists of, its items aside. */
export function artifactFieldsOf(row: ArtifactRow): Fields {
  return { name: row.name, ...contentOf<Fields>(row), ...(row.kind === 'note' && { text: row.text }) };
}

/** Changes what is named, merged with what others changed since the version that the change is based on. */
export async function patchArtifact(edit: ArtifactEdit, wanted: Fields, base: number | undefined): Promise<void> {
  const { row } = edit;
  const given = Object.fromEntries(Object.entries(wanted).filter(([, value]) => value !== undefined));
  const { changed, conflicts } = mergeFields(artifactFieldsOf(row), given, await basesOf(edit, base, 'text' in given));
  assertNoConflict(conflicts);
  await writeFields(edit, changed);
}

async function basesOf({ changing, row }: ArtifactEdit, base: number | undefined, withText: boolean): Promise<BaseOf> {
  if (base === undefined || base >= row.version) return () => undefined;
  const { db } = changing;
  const known = basesBefore(await selectOwnChangesAfter(db, row.owner, row.id, base));
  if (!withText || !known('text')) return known;
  // The history has the piece that differs, not the whole text.
  const text = await textAt(db, row, base);
  return (field) => (field === 'text' ? { ...known('text')!, value: text } : known(field));
}

/** Records the change, if it is one. */
export async function writeFields(edit: ArtifactEdit, changed: Fields): Promise<void> {
  const { row } = edit;
  if (Object.keys(changed).length === 0) return;
  const before = pick(artifactFieldsOf(row), Object.keys(changed));
  if (typeof changed.text !== 'string') {
    setFields(edit, changed);
    if ('contents' in changed) row.text = await readWords(edit.changing, row.id, contentOf<FileContent>(row).contents);
    edit.record({ type: 'changed', title: row.name, before, after: changed });
    return;
  }
  await keepText(edit);
  const { at, linesAdded, linesRemoved, ...piece } = textChange(row.text, changed.text);
  setFields(edit, changed);
  edit.record({
    type: 'changed',
    title: row.name,
    before: { ...before, text: piece.before },
    after: { ...changed, text: piece.after },
    textAt: at,
    linesAdded,
    linesRemoved,
  });
  await saveLinks(edit.changing.db, row);
}

function setFields(edit: ArtifactEdit, { name, text, ...content }: Fields): void {
  const { row } = edit;
  if (typeof name === 'string') {
    row.name = name;
    row.name_key = nameKey(name);
  }
  if (typeof text === 'string') {
    if (text.length > MOST_NOTE)
      throw new AppError('message_too_large', say('message_too_large', { limit: MOST_NOTE }));
    row.text = text;
  }
  if (Object.keys(content).length > 0) row.content = JSON.stringify({ ...contentOf<Fields>(row), ...content });
  edit.wordsChanged = true;
}
