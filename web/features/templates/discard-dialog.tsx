import { useText } from '../../i18n/text.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';

/** Nobody loses what they have written by a click beside it. */
export function DiscardDialog({ isOpen, onStay, onDiscard }: { isOpen: boolean; onStay(): void; onDiscard(): void }) {
  const text = useText();
  return (
    <Dialog
      open={isOpen}
      onClose={onStay}
      title={text('agents.leaveTitle')}
      footer={
        <>
          <Button look="danger" onClick={onDiscard}>
            {text('agents.discard')}
          </Button>
          <Button look="primary" onClick={onStay}>
            {text('agents.keepEditing')}
          </Button>
        </>
      }
    >
      {text('agents.leaveHint')}
    </Dialog>
  );
}
