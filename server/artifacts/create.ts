import { createHash } from 'node:crypto';
import { type ArtifactKind, type ArtifactPlugin, MOST_ARTIFACTS } from '../../contract/artifacts.ts';
import { AppError } from '../../contract/errors.ts';
import { newId } from '../../contract/ids.ts';
import { say } from '../../contract/texts.ts';
import { nameKey } from '../storage/name-key.ts';
import type { ArtifactRow } from '../storage/tables.ts';
import { countArtifacts, findArtifact, insertArtifact } from './artifact-store.ts';
import type { Changing } from './changing.ts';
import { saveLinks } from './note-links.ts';

export interface NewArtifact {
  readonly id?: string | undefined;
  readonly kind: ArtifactKind;
  readonly plugin?: ArtifactPlugin | null;
  readonly name: string;
  readonly text?: string;
  readonly content: object;
}

/** The same id and content make it once: repeated, it is given back as it is now. */
export async function createArtifact(changing: Changing, wanted: NewArtifact): Promise<ArtifactRow> {
  const { db, owner } = changing;
  const hash = hashOf(wanted);
  const known = wanted.id === undefined ? undefined : await findArtifact(db, owner, wanted.id);
  if (known?.request_hash === hash) return known;
  if (known) throw new AppError('artifact_id_taken', say('artifact_id_taken', { id: known.id }));
  if ((await countArtifacts(db, owner)) >= MOST_ARTIFACTS)
    throw new AppError('too_many_artifacts', say('too_many_artifacts', { limit: MOST_ARTIFACTS }));
  const row = await insertArtifact(db, toRow(changing, wanted, hash));
  const edit = changing.edit(row);
  edit.wordsChanged = true;
  edit.record({ type: 'created', title: row.name, before: null, after: { name: row.name, ...wanted.content } });
  if (row.kind === 'note') await saveLinks(db, row);
  return row;
}

function toRow({ owner, author, tx }: Changing, wanted: NewArtifact, hash: string): Omit<ArtifactRow, 'rid'> {
  return {
    owner,
    id: wanted.id ?? newId(tx.now),
    kind: wanted.kind,
    plugin: wanted.plugin ?? null,
    name: wanted.name,
    name_key: nameKey(wanted.name),
    version: 0,
    text: wanted.text ?? '',
    content: JSON.stringify(wanted.content),
    item_count: 0,
    open_count: 0,
    request_hash: hash,
    created_at: tx.now,
    created_by: author,
    updated_at: tx.now,
    updated_by: author,
    deleted_at: null,
  };
}

export function hashOf(wanted: unknown): string {
  return createHash('sha256').update(JSON.stringify(wanted)).digest('base64url').slice(0, 22);
}
