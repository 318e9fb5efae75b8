import type { ArtifactChanged } from '../../contract/artifacts.ts';
import type { List, ListItem } from '../../contract/lists.ts';
import type { Note } from '../../contract/notes.ts';
import type { TestServer } from './test-server.ts';

/** What people do with lists and notes, through the API. */
export class Keeping {
  readonly server: TestServer;

  constructor(server: TestServer) {
    this.server = server;
  }

  list(name: string, more: object = {}): Promise<List> {
    return this.server.call('createList', { body: { name, ...more } });
  }

  /** A list with an item of each title. */
  async listOf(name: string, ...titles: string[]): Promise<{ list: List; items: ListItem[] }> {
    const { id } = await this.list(name);
    const { items } = titles.length > 0 ? await this.add(id, ...titles.map((title) => ({ title }))) : { items: [] };
    return { list: await this.read(id), items };
  }

  add(listId: string, ...items: object[]) {
    return this.server.call('addItems', { params: { listId }, body: { items } });
  }

  read(listId: string): Promise<List> {
    return this.server.call('getList', { params: { listId } });
  }

  async items(listId: string, query: Record<string, string | number> = {}): Promise<ListItem[]> {
    return (await this.server.call('listItems', { params: { listId }, query })).items;
  }

  async titles(listId: string): Promise<string[]> {
    return (await this.items(listId)).map(({ title }) => title);
  }

  patch({ listId, id }: ListItem, body: object): Promise<ListItem> {
    return this.server.call('patchItem', { params: { listId, itemId: id }, body });
  }

  note(name: string, text: string, more: object = {}): Promise<Note> {
    return this.server.call('createNote', { body: { name, text, ...more } });
  }

  write({ id }: Pick<Note, 'id'>, body: object): Promise<Note> {
    return this.server.call('patchNote', { params: { noteId: id }, body });
  }

  readNote({ id }: Pick<Note, 'id'>): Promise<Note> {
    return this.server.call('getNote', { params: { noteId: id } });
  }

  async history(artifactId: string, query: Record<string, string | number> = {}) {
    return (await this.server.call('listArtifactChanges', { params: { artifactId }, query })).changes;
  }

  undo(artifactId: string, versions: number[], force = false) {
    return this.server.call('undoArtifactChanges', { params: { artifactId }, body: { versions, force } });
  }

  /** Everything live that is told of artifacts until the work is done and told. */
  async told(work: () => Promise<{ version: number }>): Promise<ArtifactChanged[]> {
    const leave = new AbortController();
    const seen: ArtifactChanged[] = [];
    let version = Number.POSITIVE_INFINITY;
    for await (const { type, data } of this.server.parley.events('/api/events?after=0', {}, leave.signal)) {
      // The client is told everything from here on.
      if (type === 'artifacts.missed') version = (await work()).version;
      if (type === 'artifact.changed') seen.push(data);
      if ((seen.at(-1)?.version ?? 0) >= version) leave.abort();
    }
    return seen;
  }
}
