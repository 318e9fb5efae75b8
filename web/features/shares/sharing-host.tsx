import { stopSharing, useSharing } from '../../state/sharing.ts';
import { lazyDialog } from '../../ui/lazy-dialog.tsx';

const ShareDialog = lazyDialog(async () => (await import('./share-dialog.tsx')).default);

/** Once in the app: loaded when somebody shares something. */
export function SharingHost() {
  const sessionId = useSharing();
  if (sessionId === null) return null;
  return <ShareDialog sessionId={sessionId} onClose={stopSharing} />;
}
