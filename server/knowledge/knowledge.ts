import type { z } from 'zod';
import type { Limits } from '../../contract/config.ts';
import type { EmbeddingSettings } from '../../contract/embeddings.ts';
import { AppError } from '../../contract/errors.ts';
import { newId } from '../../contract/ids.ts';
import type {
  AddKnowledgeNote,
  KnowledgeChange,
  KnowledgeList,
  KnowledgePassageList,
  KnowledgeSearchQuery,
  KnowledgeSearchResults,
  KnowledgeSource,
  UploadKnowledgeQuery,
} from '../../contract/knowledge.ts';
import { say } from '../../contract/texts.ts';
import type { Environment } from '../config/environment.ts';
import type { EventLog, Tx } from '../events/log.ts';
import type { Files } from '../files/files.ts';
import type { ProcessRegistry } from '../processes/registry.ts';
import type { Db, KnowledgeSourceRow } from '../storage/tables.ts';
import { Embedder } from './embedder.ts';
import { formatOf } from './formats.ts';
import { selectPassages } from './passage-store.ts';
import { factsOf, type NoteText } from './read-source.ts';
import { KnowledgeReader } from './reader.ts';
import { KnowledgeSearch } from './search.ts';
import { toPassage } from './shapes.ts';
import { loadSource, newSource, toUse } from './source-rows.ts';
import {
  countSources,
  deleteUse,
  deleteUsesOfAgent,
  findSameFile,
  findSource,
  findSourceOfNote,
  insertSource,
  markUsed,
  readSource,
  saveSource,
  saveUse,
  selectSources,
} from './source-store.ts';
import { KnowledgeUses } from './uses.ts';
import { SourceViews } from './views.ts';

export interface KnowledgeDeps {
  readonly log: EventLog;
  readonly database: string;
  readonly files: Files;
  readonly registry: ProcessRegistry;
  readonly env: Environment;
  limits(): Limits;
  embeddings(): EmbeddingSettings | undefined;
  agents(): ReadonlyMap<string, { readonly parentAgentId?: string | null }>;
  /** Throws unless there is such an agent. */
  requireAgent(agentId: string): void;
  note(owner: string, noteId: string): Promise<NoteText | null>;
  tell(owner: string, change: KnowledgeChange): void;
  /** Other agents have knowledge than before. */
  usersChanged(): void;
  report(problem: string, error: unknown): void;
}

/** Tools and skills that a turn may use. */
interface Usable {
  readonly offered: readonly { readonly name: string }[];
  readonly skills: readonly { readonly id: string }[];
}

type Use = { readonly agent?: string | undefined; readonly children: boolean };

/** Files and notes that agents can search. They are a person's; agents only read them. */
export class Knowledge {
  readonly #deps: KnowledgeDeps;
  readonly #reader: KnowledgeReader;
  readonly #embedder: Embedder;
  readonly #search: KnowledgeSearch;
  readonly #uses: KnowledgeUses;
  readonly #views: SourceViews;

  constructor(deps: KnowledgeDeps) {
    this.#deps = deps;
    const { log, report } = deps;
    this.#uses = new KnowledgeUses(log.db, deps.agents);
    this.#embedder = new Embedder({
      log,
      env: deps.env,
      settings: deps.embeddings,
      embedded: (sourceIds) => sourceIds.forEach((id) => void this.#tell(id)),
      report,
    });
    this.#reader = new KnowledgeReader({
      log,
      registry: deps.registry,
      limits: deps.limits,
      placeOf: (fileId) => deps.files.placeOf(fileId),
      note: deps.note,
      changed: (id) => void this.#tell(id),
      read: () => this.#embedder.wake(),
      removed: () => deps.files.collect(),
      report,
    });
    this.#search = new KnowledgeSearch(deps.database, log.db, this.#uses, this.#embedder);
    this.#views = new SourceViews(log.db, this.#embedder, (id) => this.#reader.fractionOf(id));
  }

  /** Before the first turn: which tools an agent is offered depends on it. */
  async load(): Promise<void> {
    await this.#uses.load();
  }

  notesChanged(): void {
    this.#reader.wake();
  }

  /** Something may wait since the last server stopped; settings may have changed. */
  wake(): void {
    this.#reader.wake();
    this.#embedder.wake();
  }

  async close(): Promise<void> {
    await this.#reader.close();
    await this.#embedder.close();
    await this.#search.close();
  }

  /** The agents that have any, those that have it from an agent above them included. */
  agents(): readonly string[] {
    return this.#uses.agents();
  }

  async list(owner: string, agentId?: string): Promise<KnowledgeList> {
    const ids = agentId === undefined ? null : this.#uses.sourcesOf(owner, agentId);
    const rows = await selectSources(this.#deps.log.db, owner);
    const sources = await this.#views.all(
      owner,
      rows.filter(({ id }) => !ids || ids.has(id)),
    );
    return { sources, embeddings: this.#views.embeddings(this.#deps.embeddings()) };
  }

  /** The names of what an agent can search, as far as it may use a tool for that. */
  async toldOf({ owner, agentId, tools }: { owner: string; agentId: string; tools: Usable }): Promise<string[]> {
    const isUsable = [...tools.offered, ...tools.skills].some((one) =>
      ('id' in one ? one.id : one.name).startsWith('knowledge'),
    );
    if (!isUsable) return [];
    const ids = this.#uses.sourcesOf(owner, agentId);
    if (ids.size === 0) return [];
    const rows = await selectSources(this.#deps.log.db, owner);
    return rows.filter(({ id, passages }) => ids.has(id) && passages > 0).map(({ name }) => name);
  }

  async get(owner: string, id: string): Promise<KnowledgeSource> {
    return this.#views.one(await loadSource(this.#deps.log.db, owner, id));
  }

  async upload(
    owner: string,
    { name, id = newId(), agent, children }: z.output<typeof UploadKnowledgeQuery>,
    mediaType: string,
    body: AsyncIterable<Uint8Array>,
  ): Promise<KnowledgeSource> {
    const { db } = this.#deps.log;
    const use = { agent, children: children === 'true' };
    this.#assertAgent(use);
    const known = await findSource(db, owner, id);
    if (known) return this.#use(known, use);
    await this.#assertFree(db, id);
    await this.#assertRoom(db, owner);
    const limit = this.#deps.limits().knowledgeFileBytes;
    const file = await this.#deps.files.upload(owner, { name, mediaType }, body, { limit });
    const same = await findSameFile(db, owner, file.sha256);
    if (same) {
      await this.#deps.files.delete(owner, file.id);
      return this.#use(same, use);
    }
    const format = await this.#formatOf(owner, file.id, file.name);
    const about = { id, name: file.name, kind: 'file' as const, format, file_id: file.id, note_id: null };
    const row = newSource(owner, { ...about, note_version: null, bytes: file.bytes, sha256: file.sha256 });
    return this.#add(row, use);
  }

  async addNote(owner: string, { noteId, ...use }: z.output<typeof AddKnowledgeNote>): Promise<KnowledgeSource> {
    const { db } = this.#deps.log;
    this.#assertAgent(use);
    const known = await findSourceOfNote(db, owner, noteId);
    if (known) return this.#use(known, use);
    const note = await this.#deps.note(owner, noteId);
    if (!note) throw new AppError('artifact_not_found', say('artifact_not_found', { id: noteId }));
    const about = { id: newId(), name: note.name, kind: 'note' as const, file_id: null, note_id: noteId };
    const facts = { note_version: note.version, ...factsOf(note.text) };
    return this.#add(newSource(owner, { ...about, ...facts, format: 'markdown' }), use);
  }

  /** It is found no more from now on; what is left of it is deleted right after. */
  async delete(owner: string, id: string): Promise<void> {
    await this.#change(owner, id, (row, tx) => {
      row.deleted_at = tx.now;
      row.generation += 2;
      return true;
    });
    this.#reader.stop(id);
    this.#reader.wake();
    await this.#usesChanged();
    this.#deps.tell(owner, { type: 'knowledge.removed', sourceId: id });
  }

  /** A note is called what it is called; its next reading would bring that name back. */
  async rename(owner: string, id: string, name: string): Promise<KnowledgeSource> {
    await this.#change(owner, id, (row) => {
      if (row.kind === 'note')
        throw new AppError('knowledge_name_fixed', say('knowledge_name_fixed', { name: row.name }));
      row.name = name;
      return true;
    });
    return this.#told(owner, id);
  }

  async stop(owner: string, id: string): Promise<KnowledgeSource> {
    await this.#change(owner, id, (row) => {
      if (row.state !== 'waiting' && row.state !== 'reading') return false;
      row.state = 'stopped';
      return true;
    });
    this.#reader.stop(id);
    return this.#told(owner, id);
  }

  /** Also one that was read well: as if it had just been added. Until then, it is found as it was. */
  async retry(owner: string, id: string): Promise<KnowledgeSource> {
    await this.#change(owner, id, (row) => {
      if (row.state === 'waiting' || row.state === 'reading') return false;
      Object.assign(row, { state: 'waiting', problem: null, attempts: 0 });
      return true;
    });
    this.#reader.wake();
    return this.#told(owner, id);
  }

  async use(owner: string, id: string, agentId: string, children: boolean): Promise<KnowledgeSource> {
    const source = await loadSource(this.#deps.log.db, owner, id);
    const use = { agent: agentId, children };
    this.#assertAgent(use);
    return this.#use(source, use);
  }

  async stopUsing(owner: string, id: string, agentId: string): Promise<KnowledgeSource> {
    await this.#deps.log.write(async (tx) => {
      await loadSource(tx.db, owner, id);
      await deleteUse(tx.db, id, agentId);
    });
    await this.#usesChanged();
    return this.#told(owner, id);
  }

  /** The agent is gone; what it had stays with the person. */
  async forgetAgent(agentId: string): Promise<void> {
    const uses = await this.#deps.log.write((tx) => deleteUsesOfAgent(tx.db, agentId));
    if (uses.length === 0) return;
    await this.#usesChanged();
    for (const { source_id } of uses) await this.#tell(source_id);
  }

  async passages(owner: string, id: string, from: number, limit: number): Promise<KnowledgePassageList> {
    const { db } = this.#deps.log;
    const { generation } = await loadSource(db, owner, id);
    const rows = await selectPassages(db, id, generation, from, limit + 1);
    return { passages: rows.slice(0, limit).map(toPassage), isComplete: rows.length <= limit };
  }

  /** As an agent searches; without one, in all that the person has. */
  search(owner: string, query: KnowledgeSearchQuery): Promise<KnowledgeSearchResults> {
    return this.#search.search(owner, query);
  }

  #assertAgent({ agent }: Use): void {
    if (agent !== undefined) this.#deps.requireAgent(agent);
  }

  /** Also of one that is deleted and still being removed. */
  async #assertFree(db: Db, id: string): Promise<void> {
    if (await readSource(db, id)) throw new AppError('knowledge_id_taken', say('knowledge_id_taken', { id }));
  }

  async #assertRoom(db: Db, owner: string): Promise<void> {
    const limit = this.#deps.limits().knowledgeSourcesPerUser;
    if ((await countSources(db, owner)).sources < limit) return;
    throw new AppError('too_much_knowledge', say('too_much_knowledge', { limit }));
  }

  /** What no agent could search is not kept. */
  async #formatOf(owner: string, fileId: string, name: string): Promise<KnowledgeSourceRow['format']> {
    const { files } = this.#deps;
    const { handle } = await files.open(owner, fileId);
    const format = await formatOf(handle, name).finally(() => handle.close());
    if (format) return format;
    await files.delete(owner, fileId);
    throw new AppError('knowledge_format_unknown', say('knowledge_format_unknown', { name }));
  }

  async #add(row: Omit<KnowledgeSourceRow, 'rid'>, use: Use): Promise<KnowledgeSource> {
    await this.#deps.log.write(async (tx) => {
      if (await findSource(tx.db, row.owner, row.id)) return;
      await this.#assertFree(tx.db, row.id);
      await this.#assertRoom(tx.db, row.owner);
      await insertSource(tx.db, row);
      if (row.file_id !== null) await markUsed(tx.db, tx.now, row.file_id);
      if (use.agent !== undefined) await saveUse(tx.db, toUse(row, use.agent, use.children, tx.now));
    });
    this.#reader.wake();
    await this.#usesChanged();
    return this.#told(row.owner, row.id);
  }

  async #use(row: KnowledgeSourceRow, { agent, children }: Use): Promise<KnowledgeSource> {
    if (agent === undefined) return this.#views.one(row);
    await this.#deps.log.write(async (tx) => {
      await loadSource(tx.db, row.owner, row.id);
      await saveUse(tx.db, toUse(row, agent, children, tx.now));
    });
    await this.#usesChanged();
    return this.#told(row.owner, row.id);
  }

  async #usesChanged(): Promise<void> {
    if (await this.#uses.load()) this.#deps.usersChanged();
  }

  async #change(owner: string, id: string, change: (row: KnowledgeSourceRow, tx: Tx) => boolean): Promise<void> {
    await this.#deps.log.write(async (tx) => {
      const row = await loadSource(tx.db, owner, id);
      if (change(row, tx)) await saveSource(tx.db, { ...row, updated_at: tx.now });
    });
  }

  async #told(owner: string, id: string): Promise<KnowledgeSource> {
    const source = await this.get(owner, id);
    this.#deps.tell(owner, { type: 'knowledge.changed', source });
    return source;
  }

  async #tell(id: string): Promise<void> {
    try {
      const row = await readSource(this.#deps.log.db, id);
      if (!row || row.deleted_at !== null) return;
      this.#deps.tell(row.owner, { type: 'knowledge.changed', source: await this.#views.one(row) });
    } catch (error) {
      this.#deps.report('a change of knowledge could not be told', error);
    }
  }
}
