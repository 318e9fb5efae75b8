import type { ArtifactKind } from '../../contract/artifacts.ts';
import { nameKey } from '../storage/name-key.ts';
import type { Db } from '../storage/tables.ts';
import { findArtifact, selectNamed } from './artifact-store.ts';

/** What an id or a name can mean: the one with that id, else all of that name, oldest first. */
export async function findByIdOrName(db: Db, owner: string, kind: ArtifactKind, wanted: string) {
  const byId = await findArtifact(db, owner, wanted);
  if (byId && byId.kind === kind && byId.deleted_at === null) return [byId];
  return (await selectNamed(db, owner, nameKey(wanted))).filter((found) => found.kind === kind);
}
