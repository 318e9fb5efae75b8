import { text } from '../i18n/panel-words.ts';
import type { Live } from '../live/live.ts';
import { notify } from '../ui/toast.tsx';

interface Named {
  readonly id: string;
  readonly name: string;
}

/** Into the trash; it can be taken out again at once or later. False: it was refused. */
export async function removeArtifact(live: Live, { id, name }: Named): Promise<boolean> {
  try {
    await live.client.call('deleteArtifact', { artifactId: id });
  } catch (error) {
    notify({ title: (error as Error).message });
    return false;
  }
  const undo = { label: text('action.undo'), run: () => void restoreArtifact(live, id) };
  notify({ title: text('artifacts.trashed', { name }), undo });
  return true;
}

export async function restoreArtifact(live: Live, artifactId: string): Promise<void> {
  await live.client.call('restoreArtifact', { artifactId }).catch((error: Error) => notify({ title: error.message }));
}
