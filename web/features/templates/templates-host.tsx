import { hideTemplates, useShowing } from '../../state/shown-templates.ts';
import { lazyDialog } from '../../ui/lazy-dialog.tsx';

const TemplatesDialog = lazyDialog(async () => (await import('./templates-dialog.tsx')).default);

/** Once in the app: loaded when somebody looks at templates or keeps one. */
export function TemplatesHost() {
  const shown = useShowing();
  if (!shown) return null;
  return <TemplatesDialog sessionId={shown.sessionId} onClose={hideTemplates} />;
}
