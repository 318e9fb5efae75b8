import { insertion, statement } from '../storage/statement.ts';
import type { ArtifactChangeRow, ArtifactFileRow, Db, FileRow } from '../storage/tables.ts';

/** The stored file with certain contents of an artifact. */
export async function findStored(db: Db, owner: string, artifactId: string, sha256: string) {
  return (await selectStored(db, owner, artifactId, sha256))[0];
}

const selectStored = statement<FileRow>(`SELECT files.* FROM artifact_files JOIN files ON files.id = file_id
  WHERE artifact_files.owner = ? AND artifact_id = ? AND artifact_files.sha256 = ?`);

/** A stored file that keeps the same contents for another artifact of the owner, or another version. */
export async function findKept(db: Db, owner: string, sha256: string): Promise<string | undefined> {
  return (await selectKept(db, owner, sha256))[0]?.file_id;
}

const selectKept = statement<{ file_id: string }>(
  'SELECT file_id FROM artifact_files WHERE owner = ? AND sha256 = ? LIMIT 1',
);

/** One of the owner's files with certain contents, kept or not. */
export async function findWithContents(db: Db, owner: string, sha256: string): Promise<string | undefined> {
  return (await selectWithContents(db, owner, sha256))[0]?.id;
}

const selectWithContents = statement<{ id: string }>(
  'SELECT id FROM files WHERE owner = ? AND sha256 = ? ORDER BY id DESC LIMIT 1',
);

export const insertArtifactFile = insertion<ArtifactFileRow>('artifact_files');

/** What all files of an owner take up, with all versions. */
export async function keptBytes(db: Db, owner: string): Promise<number> {
  return (await sumKept(db, owner))[0]!.bytes;
}

const sumKept = statement<{ bytes: number }>(`SELECT coalesce(sum(bytes), 0) AS bytes FROM files
  WHERE id IN (SELECT file_id FROM artifact_files WHERE owner = ?)`);

/** Changes that gave a file its contents, newest first, before a version. */
export const selectContentsChanges = statement<ArtifactChangeRow>(`SELECT * FROM artifact_changes
  WHERE owner = ? AND artifact_id = ? AND version < ? AND "after" ->> '$.contents' IS NOT NULL
  ORDER BY version DESC LIMIT ?`);
