import { z } from 'zod';
import type { ExportedArtifacts, ExportedPart, ImportedArtifacts } from '../../contract/artifact-export.ts';
import type {
  ArtifactChangeList,
  ArtifactChangeQuery,
  ArtifactKind,
  ArtifactList,
  ArtifactListQuery,
  ArtifactPlugin,
  ArtifactSearchQuery,
  ArtifactSearchResults,
  ArtifactSummary,
  Author,
  UndoneChanges,
} from '../../contract/artifacts.ts';
import { AppError } from '../../contract/errors.ts';
import { say } from '../../contract/texts.ts';
import type { EventLog } from '../events/log.ts';
import type { Files } from '../files/files.ts';
import { readCursor, writeCursor } from '../storage/cursor.ts';
import type { Db } from '../storage/tables.ts';
import type { KeptByPlugins } from '../tools/plugins/built-in.ts';
import { ArtifactFiles } from './artifact-files.ts';
import {
  deleteArtifactRows,
  findLine,
  hasArtifacts,
  type NamedArtifact,
  selectLines,
  selectNames,
} from './artifact-store.ts';
import { selectChanges } from './change-store.ts';
import { ArtifactLog, loadArtifact, type Tell } from './changing.ts';
import { exportArtifact } from './export.ts';
import { importArtifacts } from './import.ts';
import { keptByPlugins } from './kept-by-plugins.ts';
import { Lists } from './lists.ts';
import { Notes } from './notes.ts';
import { findByIdOrName } from './resolve.ts';
import { searchArtifacts } from './search.ts';
import { toChange, toSummary } from './shapes.ts';
import { restore, trash } from './trash.ts';
import { undoChanges } from './undo.ts';
import { Views } from './views.ts';

interface ArtifactsDeps {
  readonly events: EventLog;
  readonly files: Files;
  /** How large all files of one person may be, with all versions. */
  keptFileBytes(): number;
  readonly tell: Tell;
}

/** Lists, notes, views and files: what people keep beside their conversations. */
export class Artifacts {
  readonly lists: Lists;
  readonly notes: Notes;
  readonly views: Views;
  readonly files: ArtifactFiles;
  readonly kept: KeptByPlugins;
  readonly #log: ArtifactLog;
  readonly #stored: Files;
  readonly #keptFileBytes: () => number;
  /** Whose artifacts were deleted for good since the start. */
  readonly #emptied = new Set<string>();

  constructor({ events, files, keptFileBytes, tell }: ArtifactsDeps) {
    this.#log = new ArtifactLog(events, files, tell);
    this.#stored = files;
    this.#keptFileBytes = keptFileBytes;
    this.files = new ArtifactFiles(this.#log, files, keptFileBytes);
    this.lists = new Lists(this.#log);
    this.notes = new Notes(this.#log);
    this.views = new Views(this.#log);
    this.kept = keptByPlugins(this.#log);
  }

  async list(owner: string, query: z.output<typeof ArtifactListQuery>): Promise<ArtifactList> {
    const before = query.before === undefined ? null : placeOf(query.before);
    const { kind = null, plugin = null, deleted, limit } = query;
    const filter = { isDeleted: deleted === 'true', kind, plugin, before, limit: limit + 1 };
    const rows = await selectLines(this.#log.db, owner, filter);
    const page = rows.slice(0, limit);
    const last = page.at(-1);
    return {
      artifacts: page.map(toSummary),
      next: rows.length > limit && last ? writeCursor([last.updated_at, last.id]) : null,
    };
  }

  async get(owner: string, id: string): Promise<ArtifactSummary> {
    return loadSummary(this.#log.db, owner, id);
  }

  /** Into the trash. */
  delete(owner: string, by: Author, id: string): Promise<void> {
    return this.#log.write(owner, by, async (changing) => trash(await changing.open(id, null, { inTrash: true })));
  }

  /** For good, with its history. */
  async erase(owner: string, by: Author, id: string): Promise<void> {
    await this.#log.write(owner, by, async (changing) => {
      const row = await loadArtifact(changing.db, owner, id, null);
      await deleteArtifactRows(changing.db, owner, id);
      changing.removed(row);
    });
    this.#emptied.add(owner);
    await this.#stored.collect();
  }

  async restore(owner: string, by: Author, id: string): Promise<ArtifactSummary> {
    await this.#log.write(owner, by, async (changing) => restore(await changing.open(id, null, { inTrash: true })));
    return this.get(owner, id);
  }

  async changes(owner: string, id: string, query: z.output<typeof ArtifactChangeQuery>): Promise<ArtifactChangeList> {
    const { itemId = null, after = null, before = null, limit } = query;
    await loadArtifact(this.#log.db, owner, id, null);
    const rows = await selectChanges(this.#log.db, owner, id, { itemId, after, before, limit: limit + 1 });
    return { changes: rows.slice(0, limit).map(toChange), isComplete: rows.length <= limit };
  }

  undo(owner: string, by: Author, id: string, versions: readonly number[], force: boolean): Promise<UndoneChanges> {
    return this.#log.write(owner, by, async (changing) => {
      const edit = await changing.open(id, null, { inTrash: true });
      const made = await undoChanges(edit, versions, force);
      return { changes: made.map(toChange), version: edit.row.version };
    });
  }

  search(owner: string, query: z.output<typeof ArtifactSearchQuery>): Promise<ArtifactSearchResults> {
    return searchArtifacts(this.#log.db, owner, query);
  }

  import(owner: string, content: ExportedArtifacts): Promise<ImportedArtifacts> {
    return importArtifacts({ log: this.#log, owner, limit: this.#keptFileBytes() }, content);
  }

  export(owner: string, id: string, after: string | undefined): Promise<ExportedPart> {
    return exportArtifact(this.#log.db, owner, id, after);
  }

  /** What an id or a name can mean. */
  async named(
    owner: string,
    kind: ArtifactKind,
    wanted: string,
  ): Promise<Pick<NamedArtifact, 'id' | 'name' | 'plugin'>[]> {
    const found = await findByIdOrName(this.#log.db, owner, kind, wanted);
    return found.map(({ id, name, plugin }) => ({ id, name, plugin }));
  }

  /** Most recently changed first. */
  newest(
    owner: string,
    kinds: readonly ArtifactKind[],
    limit: number,
    hidden: readonly ArtifactPlugin[],
  ): Promise<NamedArtifact[]> {
    return selectNames(this.#log.db, owner, JSON.stringify(kinds), JSON.stringify(hidden), limit);
  }

  /** Whether there is anything whose changes a client can have missed. */
  async any(owner: string): Promise<boolean> {
    return this.#emptied.has(owner) || hasArtifacts(this.#log.db, owner);
  }
}

async function loadSummary(db: Db, owner: string, id: string): Promise<ArtifactSummary> {
  const line = await findLine(db, owner, id);
  if (line) return toSummary(line);
  throw new AppError('artifact_not_found', say('artifact_not_found', { id }));
}

const Place = z.tuple([z.number(), z.string()]);

function placeOf(cursor: string): { at: number; id: string } {
  const [at, id] = readCursor(Place, cursor);
  return { at, id };
}
