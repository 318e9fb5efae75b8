import { lazy, Suspense } from 'react';
import { ask, useListState } from './list-state.ts';
import { focusList } from './use-roving.ts';
import type { World } from './world.ts';

const MoveDialog = lazy(() => import('./move-dialog.tsx'));
const ClearDialog = lazy(() => import('./clear-dialog.tsx'));

/** What has to be asked before something is done. Afterwards the keyboard is in the list again. */
export function Dialogs({ world }: { world: World }) {
  const asking = useListState((state) => state.asking);
  if (!asking) return null;
  const close = () => {
    ask(null);
    requestAnimationFrame(focusList);
  };
  return (
    <Suspense>
      {asking.kind === 'move' ? (
        <MoveDialog ids={asking.ids} world={world} onClose={close} />
      ) : (
        <ClearDialog id={asking.id} world={world} onClose={close} />
      )}
    </Suspense>
  );
}
