import { useBlocker } from '@tanstack/react-router';
import { useText } from '../i18n/text.ts';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';

/** A click elsewhere does not discard a draft. Another tab of the same page is no leaving. */
export function LeaveDialog({ isChanged }: { isChanged: boolean }) {
  const text = useText();
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: ({ current, next }) => isChanged && current.pathname !== next.pathname,
    enableBeforeUnload: isChanged,
    withResolver: true,
  });
  const stay = () => reset?.();
  return (
    <Dialog
      open={status === 'blocked'}
      onClose={stay}
      title={text('agents.leaveTitle')}
      footer={
        <>
          <Button look="danger" onClick={() => proceed?.()}>
            {text('agents.discard')}
          </Button>
          <Button look="primary" onClick={stay}>
            {text('agents.keepEditing')}
          </Button>
        </>
      }
    >
      {text('agents.leaveHint')}
    </Dialog>
  );
}
