import { useSessionDeps } from '../../state/session-deps.ts';
import { ask, useAsking } from '../../state/session-dialogs.ts';
import { lazyDialog } from '../../ui/lazy-dialog.tsx';
import { focusList } from './use-roving.ts';

const MoveDialog = lazyDialog(async () => (await import('./move-dialog.tsx')).default);
const ClearDialog = lazyDialog(async () => (await import('./clear-dialog.tsx')).default);

/** What has to be asked before something is done. Afterwards the keyboard is in the list again, where it is open. */
export function SessionDialogs() {
  const deps = useSessionDeps();
  const asking = useAsking();
  if (!asking) return null;
  const close = () => {
    ask(null);
    requestAnimationFrame(focusList);
  };
  return asking.kind === 'move' ? (
    <MoveDialog ids={asking.ids} deps={deps} onClose={close} />
  ) : (
    <ClearDialog id={asking.id} deps={deps} onClose={close} />
  );
}
