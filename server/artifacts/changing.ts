import type {
  ArtifactChange,
  ArtifactChanged,
  ArtifactKind,
  ArtifactRemoved,
  Author,
} from '../../contract/artifacts.ts';
import { AppError } from '../../contract/errors.ts';
import { say } from '../../contract/texts.ts';
import type { Fact } from '../events/facts.ts';
import type { EventLog, Tx } from '../events/log.ts';
import type { Files } from '../files/files.ts';
import type { ArtifactChangeRow, ArtifactRow, Db } from '../storage/tables.ts';
import { findArtifact, rememberArtifact, saveArtifact } from './artifact-store.ts';
import { insertChanges } from './change-store.ts';
import { indexArtifact } from './search-index-store.ts';
import { toChange } from './shapes.ts';

export type ArtifactEvent = ArtifactChanged | ArtifactRemoved;

/** Tells the open streams of an owner. */
export type Tell = (owner: string, event: ArtifactEvent) => void;

/** What a change is about; the rest is known from where it is made. */
export interface RecordedChange {
  readonly type: ArtifactChange['type'];
  readonly itemId?: string;
  readonly title: string;
  readonly before: Record<string, unknown> | null;
  readonly after: Record<string, unknown> | null;
  readonly textAt?: number;
  readonly linesAdded?: number;
  readonly linesRemoved?: number;
}

/** Beyond this, clients read the artifact anew instead of being told what changed. */
const MOST_EVENT_BYTES = 60_000;

/** The only way to change artifacts: everything is recorded, stored in one transaction, and told once that is committed. */
export class ArtifactLog {
  readonly #log: EventLog;
  readonly #files: Files;
  readonly #tell: Tell;

  constructor(log: EventLog, files: Files, tell: Tell) {
    this.#log = log;
    this.#files = files;
    this.#tell = tell;
  }

  get db(): Db {
    return this.#log.db;
  }

  /** In a transaction of its own, unless one is given. */
  write<T>(owner: string, by: Author, work: (changing: Changing) => Promise<T>, within?: Tx): Promise<T> {
    return this.#log.write(async (tx) => {
      const changing = new Changing(tx, this.#files, owner, by);
      const result = await work(changing);
      const events = await changing.save();
      tx.facts.push(...changing.facts());
      tx.afterwards.push(() => {
        for (const event of events) this.#tell(owner, event);
      });
      return result;
    }, within);
  }
}

/** The changes that one person or agent makes in one transaction. */
export class Changing {
  readonly tx: Tx;
  readonly files: Files;
  readonly owner: string;
  readonly by: Author;
  /** The author as it is stored. */
  readonly author: string;
  readonly #edits = new Map<string, ArtifactEdit>();
  readonly #removed: ArtifactRemoved[] = [];
  readonly #anew = new Map<string, ArtifactRow>();

  constructor(tx: Tx, files: Files, owner: string, by: Author) {
    this.tx = tx;
    this.files = files;
    this.owner = owner;
    this.by = by;
    this.author = JSON.stringify(by);
  }

  get db(): Db {
    return this.tx.db;
  }

  /** An artifact that is to be changed; one in the trash only where that is said. */
  async open(id: string, kind: ArtifactKind | null = null, { inTrash = false } = {}): Promise<ArtifactEdit> {
    const known = this.#edits.get(id);
    const row = known?.row ?? (await loadArtifact(this.db, this.owner, id, kind));
    if (row.deleted_at !== null && !inTrash)
      throw new AppError('artifact_deleted', say('artifact_deleted', { name: row.name }));
    return known ?? this.edit(row);
  }

  /** Its row is still as it is in the database. */
  edit(row: ArtifactRow): ArtifactEdit {
    rememberArtifact(row);
    const edit = new ArtifactEdit(this, row);
    this.#edits.set(row.id, edit);
    return edit;
  }

  removed({ id, kind }: ArtifactRow): void {
    this.#edits.delete(id);
    this.#removed.push({ type: 'artifact.removed', kind, artifactId: id });
  }

  /** It has changed in ways that are no entries of its history: clients read it anew. */
  readAnew(row: ArtifactRow): void {
    this.#anew.set(row.id, row);
  }

  /** Stores what has changed; returns what there is to tell. */
  async save(): Promise<ArtifactEvent[]> {
    const changed = [...this.#edits.values()].filter(({ changes }) => changes.length > 0);
    for (const edit of changed) await edit.save();
    const anew = [...this.#anew.values()].map((row) => toEvent({ row, changes: [], isTellable: false }));
    return [...changed.map(toEvent), ...anew, ...this.#removed];
  }

  /** The same for what is written alongside. */
  facts(): Fact[] {
    const { owner, by } = this;
    const changed = [...this.#edits.values()].filter(({ changes }) => changes.length > 0);
    return [
      ...changed.map(({ row, changes }): Fact => {
        const { id: artifactId, kind, name, version } = row;
        const types = changes.map(({ type }) => type);
        return { type: 'artifact.changed', owner, artifactId, kind, name, version, changes: types, by };
      }),
      ...this.#removed.map(({ artifactId }): Fact => ({ type: 'artifact.removed', owner, artifactId })),
    ];
  }
}

/** One artifact that is being changed, and what is recorded of it. */
export class ArtifactEdit {
  readonly changing: Changing;
  readonly row: ArtifactRow;
  readonly changes: ArtifactChangeRow[] = [];
  /** Whether the changes can be told one by one. */
  isTellable = true;
  /** Name, text or tags have changed, so that it has to be indexed anew. */
  wordsChanged = false;
  #stored = 0;

  constructor(changing: Changing, row: ArtifactRow) {
    this.changing = changing;
    this.row = row;
  }

  /** Gives the change the next version of the artifact. */
  record(change: RecordedChange): ArtifactChangeRow {
    const { owner, author, tx } = this.changing;
    this.row.version += 1;
    const recorded: ArtifactChangeRow = {
      owner,
      artifact_id: this.row.id,
      version: this.row.version,
      type: change.type,
      item_id: change.itemId ?? null,
      title: change.title,
      before: change.before && JSON.stringify(change.before),
      after: change.after && JSON.stringify(change.after),
      text_at: change.textAt ?? null,
      lines_added: change.linesAdded ?? 0,
      lines_removed: change.linesRemoved ?? 0,
      author,
      at: tx.now,
      undoes: null,
      undone_by: null,
      other_artifact_id: null,
      other_version: null,
    };
    this.changes.push(recorded);
    return recorded;
  }

  /** Stores what is recorded so far, where what follows has to find it in the history. */
  async flush(): Promise<void> {
    await insertChanges(this.changing.db, this.changes.slice(this.#stored));
    this.#stored = this.changes.length;
  }

  async save(): Promise<void> {
    const { db, tx, author } = this.changing;
    this.row.updated_at = tx.now;
    this.row.updated_by = author;
    await saveArtifact(db, this.row);
    await this.flush();
    if (this.wordsChanged) await indexArtifact(db, this.row);
  }
}

export async function loadArtifact(db: Db, owner: string, id: string, kind: ArtifactKind | null): Promise<ArtifactRow> {
  const row = await findArtifact(db, owner, id);
  if (row && (kind === null || row.kind === kind)) return row;
  throw new AppError('artifact_not_found', say('artifact_not_found', { id }));
}

function toEvent({ row, changes, isTellable }: Pick<ArtifactEdit, 'row' | 'changes' | 'isTellable'>): ArtifactChanged {
  const bytes = changes.reduce((sum, { before, after }) => sum + 300 + (before?.length ?? 0) + (after?.length ?? 0), 0);
  return {
    type: 'artifact.changed',
    kind: row.kind,
    artifactId: row.id,
    name: row.name,
    changes: isTellable && bytes <= MOST_EVENT_BYTES ? changes.map(toChange) : [],
    version: row.version,
  };
}
