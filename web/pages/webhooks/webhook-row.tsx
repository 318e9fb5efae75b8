import { History, KeyRound, Pause, Pencil, Play, Trash2 } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import type { WebhookState } from '../../../contract/webhooks.ts';
import { useText } from '../../i18n/webhook-words.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Badge } from '../../ui/page.tsx';
import { useWebhookVerb } from './use-webhooks.ts';

/** What can be done with a webhook of either direction. */
export interface WebhookVerbs {
  pause(): Promise<unknown>;
  resume(): Promise<unknown>;
  delete(): Promise<unknown>;
  /** Gives the new secret. */
  renew(): Promise<{ readonly secret: string }>;
}

interface Props {
  webhook: { readonly name: string; readonly state: WebhookState; readonly disabledBecause: string | null };
  /** Where requests go. */
  address: string;
  about: ReactNode;
  /** A button of this direction alone, before the others. */
  ownVerb: ReactNode;
  historyLabel: string;
  history: ReactNode;
  verbs: WebhookVerbs;
  /** Why deleting it needs a thought. */
  consequence: string;
  onEdit(): void;
  onRenewed(secret: string): void;
}

/** A webhook of either direction: what it does, its history, and what can be done with it. */
export function WebhookRow({ webhook, address, about, ownVerb, historyLabel, history, ...rest }: Props) {
  const [isOpen, setOpen] = useState(false);
  return (
    <li className="px-3 py-2.5">
      <div className="flex flex-wrap items-start gap-x-3 gap-y-1">
        <div className="min-w-0 flex-1 basis-56">
          <h3 className="font-medium" dir="auto">
            {webhook.name}
          </h3>
          <p className="truncate text-xs text-fg-2" title={address}>
            {address}
          </p>
          <p className="text-xs text-fg-3">
            {about} <StateBadge state={webhook.state} because={webhook.disabledBecause} />
          </p>
        </div>
        <span className="flex flex-none flex-wrap gap-0.5">
          {ownVerb}
          <IconButton label={historyLabel} aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            <History size={15} />
          </IconButton>
          <RowVerbs webhook={webhook} {...rest} />
        </span>
      </div>
      {isOpen && history}
    </li>
  );
}

/** Nothing while it is active. */
function StateBadge({ state, because }: { state: WebhookState; because: string | null }) {
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

type VerbsProps = Pick<Props, 'webhook' | 'verbs' | 'consequence' | 'onEdit' | 'onRenewed'>;

function RowVerbs({ webhook: { name, state }, verbs, consequence, onEdit, onRenewed }: VerbsProps) {
  const text = useText();
  const attempt = useWebhookVerb();
  const [isAsking, setAsking] = useState(false);
  const isActive = state === 'active';
  const renew = async () => {
    const renewed = await attempt(() => verbs.renew());
    if (renewed) onRenewed(renewed.secret);
  };
  return (
    <>
      <IconButton
        label={text(isActive ? 'webhooks.pauseOf' : 'webhooks.resumeOf', { name })}
        onClick={() => void attempt(() => (isActive ? verbs.pause() : verbs.resume()))}
      >
        {isActive ? <Pause size={15} /> : <Play size={15} />}
      </IconButton>
      <IconButton label={text('webhooks.secretOf', { name })} onClick={() => void renew()}>
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
              <Button look="primary" onClick={() => void attempt(() => verbs.delete())}>
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
