import type { Live } from '../live/live.ts';
import { notify } from '../ui/toast.tsx';
import { openPanel } from './open-panels.ts';

/** Shows a list, note or view beside a session. */
export async function openArtifact(live: Live, sessionId: string, artifactId: string): Promise<void> {
  try {
    const { kind } = await live.client.call('getArtifact', { artifactId });
    openPanel(sessionId, kind, { artifactId });
  } catch (error) {
    notify({ title: (error as Error).message });
  }
}
