import { lazy, Suspense } from 'react';
import { hideTemplates, useShowing } from './showing.ts';

const TemplatesDialog = lazy(() => import('./templates-dialog.tsx'));

/** Once in the app: loaded when somebody looks at templates or keeps one. */
export function TemplatesHost() {
  const shown = useShowing();
  if (!shown) return null;
  return (
    <Suspense>
      <TemplatesDialog sessionId={shown.sessionId} onClose={hideTemplates} />
    </Suspense>
  );
}
