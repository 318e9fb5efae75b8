import { findPluginArtifact } from './artifact-store.ts';
import type { ArtifactEdit } from './changing.ts';

export async function trash(edit: ArtifactEdit): Promise<void> {
  const { row, changing } = edit;
  if (row.deleted_at !== null) return;
  row.deleted_at = changing.tx.now;
  edit.record({ type: 'deleted', title: row.name, before: null, after: null });
}

/** One that a plugin kept is an ordinary one if the plugin has another by now. */
export async function restore(edit: ArtifactEdit): Promise<void> {
  const { row, changing } = edit;
  if (row.deleted_at === null) return;
  const isSingle = row.kind === 'list' && row.plugin !== null;
  if (isSingle && (await findPluginArtifact(changing.db, changing.owner, row.plugin!))) row.plugin = null;
  row.deleted_at = null;
  edit.record({ type: 'restored', title: row.name, before: null, after: null });
}
