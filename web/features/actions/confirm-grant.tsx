import { useText } from '../../i18n/text.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';

interface Props {
  /** Null: nothing is being confirmed. */
  decision: 'session' | 'always' | null;
  name: string;
  tool: string;
  onConfirm(): void;
  onCancel(): void;
}

/** Says what a standing approval of a tool that runs commands allows, before it is given. */
export function ConfirmGrant({ decision, name, tool, onConfirm, onCancel }: Props) {
  const text = useText();
  if (decision === null) return null;
  return (
    <Dialog
      open
      onClose={onCancel}
      title={text(`actions.confirm.${decision}.title`, { tool })}
      footer={
        <>
          <Button onClick={onCancel}>{text('action.cancel')}</Button>
          <Button look="primary" onClick={onConfirm}>
            {text(`actions.${decision}`)}
          </Button>
        </>
      }
    >
      <p>{text(`actions.confirm.${decision}.body`, { name, tool })}</p>
      <p className="mt-2 text-xs text-fg-2">{text('actions.confirm.undo')}</p>
    </Dialog>
  );
}
