import { hideModelInput, showModelInput, useShownInput } from '../../state/model-input.ts';
import { lazyDialog } from '../../ui/lazy-dialog.tsx';

const SeenDialog = lazyDialog(async () => (await import('./seen-dialog.tsx')).SeenDialog);

/** Loaded when it is first wanted. */
export function ModelInputHost({ sessionId }: { sessionId: string }) {
  const shown = useShownInput();
  if (shown?.sessionId !== sessionId) return null;
  return <SeenDialog {...shown} onTurn={(turnId) => showModelInput(sessionId, turnId)} onClose={hideModelInput} />;
}
