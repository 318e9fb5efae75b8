import type { ArtifactKind } from '../../contract/artifacts.ts';
import { newId } from '../../contract/ids.ts';
import type { Live } from '../live/live.ts';

/** A new one, empty but for its name. Files are made by agents. */
export async function createArtifact(live: Live, kind: Exclude<ArtifactKind, 'file'>, name: string): Promise<string> {
  const id = newId();
  switch (kind) {
    case 'list':
      return (await live.client.call('createList', { body: { id, name } })).id;
    case 'note':
      return (await live.client.call('createNote', { body: { id, name } })).id;
    case 'view':
      return (await live.client.call('createView', { body: { id, name, query: {} } })).id;
    default:
      return kind satisfies never;
  }
}
