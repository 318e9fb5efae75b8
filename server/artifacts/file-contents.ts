import type { FileContents } from '../../contract/artifact-files.ts';
import { AppError } from '../../contract/errors.ts';
import { say } from '../../contract/texts.ts';
import { findFile, markSent } from '../files/store.ts';
import type { FileRow } from '../storage/tables.ts';
import type { Changing } from './changing.ts';
import { findKept, findStored, findWithContents, insertArtifactFile, keptBytes } from './file-store.ts';

/** Makes what a stored file holds contents of an artifact, for as long as the artifact has a history. */
export async function keepContents(
  changing: Changing,
  artifactId: string,
  fileId: string,
  limit: number,
): Promise<FileContents> {
  const { db, owner, tx } = changing;
  const file = await findFile(db, owner, fileId);
  if (!file) throw new AppError('file_unknown', say('file_unknown', { id: fileId }));
  const contents = contentsOf(file);
  if (await findStored(db, owner, artifactId, file.sha256)) return contents;
  const kept = await findKept(db, owner, file.sha256);
  if (kept === undefined && (await keptBytes(db, owner)) + file.bytes > limit)
    throw new AppError('kept_files_too_large', say('kept_files_too_large', { limit }));
  const file_id = kept ?? file.id;
  await insertArtifactFile(db, { owner, artifact_id: artifactId, sha256: file.sha256, file_id });
  await markSent(db, tx.now, file_id);
  return contents;
}

/** The same for contents that were uploaded before, or are kept already, and are known by their hash. */
export async function keepUploaded(changing: Changing, artifactId: string, { sha256 }: FileContents, limit: number) {
  const fileId = await findWithContents(changing.db, changing.owner, sha256);
  if (fileId === undefined) throw new AppError('file_unknown', say('file_unknown', { id: sha256 }));
  await keepContents(changing, artifactId, fileId, limit);
}

function contentsOf({ sha256, bytes, media_type: mediaType, kind }: FileRow): FileContents {
  return { sha256, bytes, mediaType, kind };
}

/** What search finds a file by besides its name: its text, if it is one. */
export async function readWords({ db, owner, files }: Changing, artifactId: string, { sha256, kind }: FileContents) {
  if (kind !== 'text') return '';
  const stored = await findStored(db, owner, artifactId, sha256);
  return (stored && (await files.text(stored.id))) ?? '';
}
