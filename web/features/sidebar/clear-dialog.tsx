import { useText } from '../../i18n/text.ts';
import { clearHistory, sessionOf } from '../../state/session-verbs.ts';
import type { World } from '../../state/world.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';

/** The one thing here that cannot be taken back. */
export default function ClearDialog({ id, world, onClose }: { id: string; world: World; onClose(): void }) {
  const text = useText();
  const session = sessionOf(world, id);
  const clear = () => {
    onClose();
    void clearHistory(world, id);
  };
  return (
    <Dialog
      open
      onClose={onClose}
      title={text('sidebar.clearTitle')}
      footer={
        <>
          <Button onClick={onClose}>{text('action.cancel')}</Button>
          <Button look="danger" onClick={clear}>
            {text('sidebar.clearGo')}
          </Button>
        </>
      }
    >
      <p>{text('sidebar.clearWhat', { title: session?.title ?? '', count: session?.messageCount ?? 0 })}</p>
    </Dialog>
  );
}
