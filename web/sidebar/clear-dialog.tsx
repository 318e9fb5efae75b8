import { sessionTitle } from '../i18n/session-title.ts';
import { useText } from '../i18n/text.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { clearHistory, sessionOf } from './verbs.ts';
import type { World } from './world.ts';

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
      <p>{text('sidebar.clearWhat', { title: sessionTitle(session?.title), count: session?.messageCount ?? 0 })}</p>
    </Dialog>
  );
}
