import type { FileHandle } from 'node:fs/promises';
import type { z } from 'zod';
import type {
  ArtifactFile,
  CreateArtifactFile,
  FileContents,
  FileVersion,
  FileVersionList,
  FileVersionQuery,
  PatchArtifactFile,
} from '../../contract/artifact-files.ts';
import type { Author } from '../../contract/artifacts.ts';
import { AppError } from '../../contract/errors.ts';
import type { FileInfo } from '../../contract/files.ts';
import { newId } from '../../contract/ids.ts';
import { say } from '../../contract/texts.ts';
import type { Files } from '../files/files.ts';
import type { ArtifactChangeRow, Db } from '../storage/tables.ts';
import { patchArtifact } from './change-artifact.ts';
import { findChange } from './change-store.ts';
import { type ArtifactLog, loadArtifact } from './changing.ts';
import { createArtifact } from './create.ts';
import { keepContents, readWords } from './file-contents.ts';
import { findStored, selectContentsChanges } from './file-store.ts';
import { contentOf, type FileContent, readFields, toAuthor, toFile, toTime } from './shapes.ts';

/** What people and agents do with files that are kept: each version has its contents. */
export class ArtifactFiles {
  readonly #log: ArtifactLog;
  readonly #stored: Files;
  readonly #limit: () => number;

  constructor(log: ArtifactLog, stored: Files, limit: () => number) {
    this.#log = log;
    this.#stored = stored;
    this.#limit = limit;
  }

  create(owner: string, by: Author, { id = newId(), name, fileId, tags }: CreateArtifactFile): Promise<ArtifactFile> {
    return this.#log.write(owner, by, async (changing) => {
      const contents = await keepContents(changing, id, fileId, this.#limit());
      const text = await readWords(changing, id, contents);
      return toFile(await createArtifact(changing, { id, kind: 'file', name, text, content: { tags, contents } }));
    });
  }

  async get(owner: string, id: string): Promise<ArtifactFile> {
    return toFile(await loadArtifact(this.#log.db, owner, id, 'file'));
  }

  patch(owner: string, by: Author, id: string, { base, ...patch }: PatchArtifactFile): Promise<ArtifactFile> {
    const { fileId, fromVersion, ...wanted } = patch;
    return this.#log.write(owner, by, async (changing) => {
      const edit = await changing.open(id, 'file');
      const contents =
        fromVersion !== undefined
          ? await contentsAt(changing.db, owner, id, fromVersion)
          : fileId && (await keepContents(changing, id, fileId, this.#limit()));
      await patchArtifact(edit, { ...wanted, contents }, base);
      return toFile(edit.row);
    });
  }

  /** The versions that new contents have made. */
  async versions(
    owner: string,
    id: string,
    { before = Number.MAX_SAFE_INTEGER, limit }: z.output<typeof FileVersionQuery>,
  ): Promise<FileVersionList> {
    const { db } = this.#log;
    await loadArtifact(db, owner, id, 'file');
    const changes = await selectContentsChanges(db, owner, id, before, limit + 1);
    return { versions: changes.slice(0, limit).map(toVersion), isComplete: changes.length <= limit };
  }

  /** The handle is the caller's to close. */
  async open(owner: string, id: string, version?: number): Promise<{ file: FileInfo; handle: FileHandle }> {
    const { name, stored, contents } = await this.#at(owner, id, version);
    const { file, handle } = await this.#stored.open(owner, stored.id);
    return { file: { ...file, name, mediaType: contents.mediaType }, handle };
  }

  /** Null when it is not text. */
  async text(owner: string, id: string, version?: number): Promise<string | null> {
    const { stored, contents } = await this.#at(owner, id, version);
    return contents.kind === 'text' ? this.#stored.text(stored.id) : null;
  }

  /** The stored file that holds what is in it now. */
  async storedAs(owner: string, id: string): Promise<string> {
    return (await this.#at(owner, id)).stored.id;
  }

  async #at(owner: string, id: string, version?: number) {
    const { db } = this.#log;
    const row = await loadArtifact(db, owner, id, 'file');
    const contents =
      version === undefined ? contentOf<FileContent>(row).contents : await contentsAt(db, owner, id, version);
    const stored = await findStored(db, owner, id, contents.sha256);
    if (!stored) throw new AppError('file_not_found', say('file_not_found', { id }));
    return { name: row.name, contents, stored };
  }
}

async function contentsAt(db: Db, owner: string, id: string, version: number): Promise<FileContents> {
  const [change] = await selectContentsChanges(db, owner, id, version + 1, 1);
  if (!change || !(await findChange(db, owner, id, version)))
    throw new AppError('artifact_version_not_found', say('artifact_version_not_found', { version }));
  return toVersion(change).contents;
}

function toVersion({ version, author, at, after }: ArtifactChangeRow): FileVersion {
  return { version, by: toAuthor(author), at: toTime(at), contents: readFields(after)!.contents as FileContents };
}
