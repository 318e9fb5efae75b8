import { mkdirSync } from 'node:fs';
import { type FileHandle, open, readdir, readFile, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { AppError } from '../../contract/errors.ts';
import type { FileInfo } from '../../contract/files.ts';
import { newId } from '../../contract/ids.ts';
import { ID_PATTERN } from '../../contract/names.ts';
import { say } from '../../contract/texts.ts';
import type { Bus } from '../events/bus.ts';
import type { Db, FileRow } from '../storage/tables.ts';
import { decode, kindOf, receive } from './receive.ts';
import { deleteFile, findFile, insertFile, selectFileIds, selectForgotten, unsentBytes } from './store.ts';

const UNSENT_MS = 24 * 3600_000;
const DELETIONS: ReadonlySet<string> = new Set([
  'message.deleted',
  'turn.removed',
  'session.cleared',
  'session.deleted',
]);
/** What has no row and is older than this is not being received any more. */
const STRAY_MS = 3600_000;

/** What people attach and what is kept as files: a row for each, its contents in the data folder under its id. */
export class Files {
  readonly #db: Db;
  readonly #folder: string;
  readonly #limit: () => number;
  readonly #unsentLimit: () => number;
  /** Those with ids of their senders' choice that are being received. */
  readonly #receiving = new Map<string, Promise<FileInfo>>();

  constructor(db: Db, folder: string, limit: () => number, unsentLimit = () => Number.POSITIVE_INFINITY) {
    this.#db = db;
    this.#folder = folder;
    this.#limit = limit;
    this.#unsentLimit = unsentLimit;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  }

  async upload(
    owner: string,
    { name, mediaType }: { name: string; mediaType: string },
    body: AsyncIterable<Uint8Array>,
    { id = newId(), limit = this.#limit() }: { id?: string; limit?: number } = {},
  ): Promise<FileInfo> {
    await this.#assertRoom(owner, 1);
    const { bytes, sha256, beginning } = await receive(body, this.placeOf(id), limit);
    if (bytes === 0) await this.#giveUp(id, new AppError('file_empty', say('file_empty')));
    await this.#assertRoom(owner, bytes).catch((error) => this.#giveUp(id, error));
    const { kind, mediaType: media_type } = kindOf(beginning, mediaType);
    const about = { id, owner, name: safeName(name), media_type, kind };
    const row: FileRow = { ...about, bytes, sha256, created_at: Date.now(), sent_at: null };
    await insertFile(this.#db, row).catch((error) => this.#giveUp(id, error));
    return toFileInfo(row);
  }

  /** The same file, sent again under the same id, is stored once. */
  uploadOnce(
    owner: string,
    id: string,
    about: { name: string; mediaType: string },
    body: AsyncIterable<Uint8Array>,
  ): Promise<FileInfo> {
    const received = this.#receiving.get(id) ?? this.#findOrReceive(owner, id, about, body);
    this.#receiving.set(id, received);
    return received;
  }

  async #findOrReceive(
    owner: string,
    id: string,
    about: { name: string; mediaType: string },
    body: AsyncIterable<Uint8Array>,
  ): Promise<FileInfo> {
    try {
      const known = await findFile(this.#db, owner, id);
      return known ? toFileInfo(known) : await this.upload(owner, about, body, { id });
    } finally {
      this.#receiving.delete(id);
    }
  }

  /** The handle is the caller's to close. */
  async open(owner: string, id: string): Promise<{ file: FileInfo; handle: FileHandle }> {
    const row = await this.#load(owner, id);
    const handle = await open(this.placeOf(id)).catch(() => null);
    if (!handle) throw notFound(id);
    return { file: toFileInfo(row), handle };
  }

  async delete(owner: string, id: string): Promise<void> {
    await this.#load(owner, id);
    if (await this.#forget(id)) return;
    throw new AppError('file_in_use', say('file_in_use'));
  }

  /** Where its contents are, for what reads them in another process. */
  placeOf(id: string): string {
    if (!ID_PATTERN.test(id)) throw notFound(id);
    return path.join(this.#folder, id);
  }

  /** Null when it is not there or is no text. */
  async text(id: string): Promise<string | null> {
    const bytes = await this.#read(id);
    return bytes && decode(bytes);
  }

  async base64(id: string): Promise<string | null> {
    return (await this.#read(id))?.toString('base64') ?? null;
  }

  /** Whatever left a message leaves the disk, too, as soon as that is known. */
  followDeletions(bus: Bus, report: (error: unknown) => void): void {
    bus.subscribe({
      event: ({ event: { type } }) => {
        if (DELETIONS.has(type)) this.collect().catch(report);
      },
    });
  }

  /** Deletes the files that nothing links to: used ones at once, others after a while. */
  async collect(now = Date.now()): Promise<void> {
    for (const { id } of await selectForgotten(this.#db, now - UNSENT_MS)) await this.#forget(id);
  }

  /** The same, with what a crash left on the disk. */
  async sweep(now = Date.now()): Promise<void> {
    await this.collect(now);
    const known = new Set((await selectFileIds(this.#db)).map(({ id }) => id));
    for (const name of await readdir(this.#folder)) {
      if (known.has(name)) continue;
      const { mtimeMs } = await stat(path.join(this.#folder, name)).catch(() => ({ mtimeMs: now }));
      if (mtimeMs < now - STRAY_MS) await rm(path.join(this.#folder, name), { force: true });
    }
  }

  async #assertRoom(owner: string, more: number): Promise<void> {
    const limit = this.#unsentLimit();
    if ((await unsentBytes(this.#db, owner)) + more <= limit) return;
    throw new AppError('too_many_unsent_files', say('too_many_unsent_files', { limit }));
  }

  async #load(owner: string, id: string): Promise<FileRow> {
    const row = await findFile(this.#db, owner, id);
    if (!row) throw notFound(id);
    return row;
  }

  /** The row first: a file without a row belongs to no owner and is swept up later. */
  async #forget(id: string): Promise<boolean> {
    const isForgotten = await deleteFile(this.#db, id);
    if (isForgotten) await this.#remove(id);
    return isForgotten;
  }

  async #giveUp(id: string, error: unknown): Promise<never> {
    await this.#remove(id);
    throw error;
  }

  async #remove(id: string): Promise<void> {
    await rm(this.placeOf(id), { force: true });
  }

  #read(id: string): Promise<Buffer | null> {
    return readFile(this.placeOf(id)).catch(() => null);
  }
}

function notFound(id: string): AppError {
  return new AppError('file_not_found', say('file_not_found', { id }));
}

/** A name and no path, on one line, and no longer than it may be. */
function safeName(name: string): string {
  const last = name.toWellFormed().split(/[/\\]/).at(-1)!;
  const shown = last.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim();
  return shown === '' || shown === '.' || shown === '..' ? 'file' : shown;
}

export function toFileInfo(row: FileRow): FileInfo {
  return {
    id: row.id,
    name: row.name,
    mediaType: row.media_type,
    kind: row.kind,
    bytes: row.bytes,
    sha256: row.sha256,
    createdAt: new Date(row.created_at).toISOString(),
  };
}
