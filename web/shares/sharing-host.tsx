import { lazy, Suspense } from 'react';
import { stopSharing, useSharing } from './sharing.ts';

const ShareDialog = lazy(() => import('./share-dialog.tsx'));

/** Once in the app: loaded when somebody shares something. */
export function SharingHost() {
  const sessionId = useSharing();
  if (sessionId === null) return null;
  return (
    <Suspense>
      <ShareDialog sessionId={sessionId} onClose={stopSharing} />
    </Suspense>
  );
}
