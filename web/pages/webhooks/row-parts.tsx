import { KeyRound, Pause, Pencil, Play, Trash2 } from 'lucide-react';
import { useState } from 'react';
import type { WebhookState } from '../../../contract/webhooks.ts';
import { useText } from '../../i18n/webhook-words.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Badge } from '../../ui/page.tsx';

/** Nothing while it is active. */
export function StateBadge({ state, because }: { state: WebhookState; because: string | null }) {
  const text = useText();
  if (state === 'active') return null;
  return (
    <>
      <Badge tone={state === 'disabled' ? 'danger' : 'plain'}>
        {text(state === 'disabled' ? 'webhooks.disabled' : 'webhooks.paused')}
      </Badge>
      {because && <span className="mt-0.5 block text-danger">{because}</span>}
    </>
  );
}

interface VerbsProps {
  name: string;
  state: WebhookState;
  /** Why deleting it needs a thought. */
  consequence: string;
  onPause(): void;
  onResume(): void;
  onRenew(): void;
  onEdit(): void;
  onDelete(): void;
}

export function RowVerbs({ name, state, consequence, onPause, onResume, onRenew, onEdit, onDelete }: VerbsProps) {
  const text = useText();
  const [isAsking, setAsking] = useState(false);
  return (
    <>
      {state === 'active' ? (
        <IconButton label={text('webhooks.pauseOf', { name })} onClick={onPause}>
          <Pause size={15} />
        </IconButton>
      ) : (
        <IconButton label={text('webhooks.resumeOf', { name })} onClick={onResume}>
          <Play size={15} />
        </IconButton>
      )}
      <IconButton label={text('webhooks.secretOf', { name })} onClick={onRenew}>
        <KeyRound size={14} />
      </IconButton>
      <IconButton label={text('webhooks.edit', { name })} onClick={onEdit}>
        <Pencil size={14} />
      </IconButton>
      <IconButton label={text('webhooks.delete', { name })} onClick={() => setAsking(true)}>
        <Trash2 size={14} />
      </IconButton>
      {isAsking && (
        <Dialog
          open
          onClose={() => setAsking(false)}
          title={text('webhooks.deleteTitle', { name })}
          footer={
            <>
              <Button onClick={() => setAsking(false)}>{text('action.cancel')}</Button>
              <Button look="primary" onClick={onDelete}>
                {text('webhooks.delete', { name })}
              </Button>
            </>
          }
        >
          <p className="text-fg-2">{consequence}</p>
        </Dialog>
      )}
    </>
  );
}
