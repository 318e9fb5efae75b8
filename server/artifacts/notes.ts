import type { z } from 'zod';
import type { Author } from '../../contract/artifacts.ts';
import { AppError } from '../../contract/errors.ts';
import type {
  CreateNote,
  Note,
  NoteAtVersion,
  NoteVersionList,
  NoteVersionQuery,
  PatchNote,
} from '../../contract/notes.ts';
import { say } from '../../contract/texts.ts';
import type { ArtifactChangeRow, ArtifactRow, Db } from '../storage/tables.ts';
import { findArtifact } from './artifact-store.ts';
import { patchArtifact } from './change-artifact.ts';
import { findChange, selectOwnChangesAfter, selectTextChanges } from './change-store.ts';
import { type ArtifactLog, loadArtifact } from './changing.ts';
import { createArtifact } from './create.ts';
import { linesOf } from './line-diff.ts';
import { readLinks } from './note-links.ts';
import { textAt } from './note-text.ts';
import { artifactOf, contentOf, type NoteContent, readFields, toAuthor, toTime } from './shapes.ts';

/** What people and agents do with notes. */
export class Notes {
  readonly #log: ArtifactLog;

  constructor(log: ArtifactLog) {
    this.#log = log;
  }

  create(owner: string, by: Author, { id, name, text, ...content }: CreateNote): Promise<Note> {
    return this.#log.write(owner, by, async (changing) =>
      toNote(changing.db, await createArtifact(changing, { id, kind: 'note', name, text, content })),
    );
  }

  async get(owner: string, id: string): Promise<Note> {
    return toNote(this.#log.db, await loadArtifact(this.#log.db, owner, id, 'note'));
  }

  /** Null: it is in the trash or gone. */
  async text(owner: string, id: string): Promise<Pick<ArtifactRow, 'name' | 'version' | 'text'> | null> {
    const row = await findArtifact(this.#log.db, owner, id);
    return row?.kind === 'note' && row.deleted_at === null ? row : null;
  }

  patch(owner: string, by: Author, id: string, { base, ...wanted }: PatchNote): Promise<Note> {
    return this.#log.write(owner, by, async (changing) => {
      const edit = await changing.open(id, 'note');
      await patchArtifact(edit, wanted, base);
      return toNote(changing.db, edit.row);
    });
  }

  /** The versions that a change of the text has made, and the first one. */
  async versions(
    owner: string,
    id: string,
    { before, limit }: z.output<typeof NoteVersionQuery>,
  ): Promise<NoteVersionList> {
    const { db } = this.#log;
    const note = await loadArtifact(db, owner, id, 'note');
    const upto = before ?? note.version + 1;
    const changes = await selectTextChanges(db, owner, id, upto, 0, limit + 1);
    const versions = changes.slice(0, limit).map((change) => toVersion(change));
    const created = changes.length < limit && upto > 1 ? await findChange(db, owner, id, 1) : undefined;
    if (created) versions.push(toVersion({ ...created, lines_added: linesOf(await textAt(db, note, 1)).length }));
    return { versions, isComplete: created !== undefined || upto <= 1 };
  }

  async atVersion(owner: string, id: string, version: number): Promise<NoteAtVersion> {
    const { db } = this.#log;
    const note = await loadArtifact(db, owner, id, 'note');
    const change = await findChange(db, owner, id, version);
    if (!change) throw new AppError('artifact_version_not_found', say('artifact_version_not_found', { version }));
    const { author, at } = change;
    const text = await textAt(db, note, version);
    return { version, name: await nameAt(db, note, version), text, by: toAuthor(author), at: toTime(at) };
  }
}

async function nameAt(db: Db, note: ArtifactRow, version: number): Promise<string> {
  const later = await selectOwnChangesAfter(db, note.owner, note.id, version);
  const renaming = later.map(({ before }) => readFields(before)?.name).find((name) => typeof name === 'string');
  return (renaming as string | undefined) ?? note.name;
}

function toVersion({ version, author, at, lines_added, lines_removed }: ArtifactChangeRow) {
  return { version, by: toAuthor(author), at: toTime(at), added: lines_added, removed: lines_removed };
}

export async function toNote(db: Db, row: ArtifactRow): Promise<Note> {
  const content = contentOf<NoteContent>(row);
  return { kind: 'note', ...artifactOf(row), ...content, text: row.text, ...(await readLinks(db, row)) };
}
