import { sessionTitle } from '../../i18n/session-title.ts';
import { useText } from '../../i18n/text.ts';
import type { SessionDeps } from '../../state/session-deps.ts';
import { clearHistory, sessionOf } from '../../state/session-verbs.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';

/** The one thing here that cannot be taken back. */
export default function ClearDialog({ id, deps, onClose }: { id: string; deps: SessionDeps; onClose(): void }) {
  const text = useText();
  const session = sessionOf(deps, id);
  const clear = () => {
    onClose();
    void clearHistory(deps, id);
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
