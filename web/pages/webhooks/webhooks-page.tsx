import { Plus } from 'lucide-react';
import { useState } from 'react';
import type { IncomingWebhook, OutgoingWebhook } from '../../../contract/webhooks.ts';
import { useText } from '../../i18n/webhook-words.ts';
import { Button } from '../../ui/button.tsx';
import { Loaded, Page, Section } from '../../ui/page.tsx';
import { IncomingDialog } from './incoming-dialog.tsx';
import { IncomingRow } from './incoming-row.tsx';
import { OutgoingDialog } from './outgoing-dialog.tsx';
import { OutgoingRow } from './outgoing-row.tsx';
import { SecretDialog, type ShownSecret } from './secret-dialog.tsx';
import { useIncoming, useOutgoing } from './use-webhooks.ts';

/** What a dialog is open for: a webhook, or a new one. */
type Editing =
  | { readonly kind: 'out'; readonly of: OutgoingWebhook | null }
  | { readonly kind: 'in'; readonly of: IncomingWebhook | null };

/** Events that are sent to other programs, and their requests that become messages. */
export function WebhooksPage() {
  const text = useText();
  const [editing, setEditing] = useState<Editing | null>(null);
  const [secret, setSecret] = useState<ShownSecret | null>(null);
  const close = (shown: ShownSecret | null) => {
    setEditing(null);
    if (shown) setSecret(shown);
  };
  return (
    <Page title={text('nav.webhooks')}>
      <Outgoing onEdit={(of) => setEditing({ kind: 'out', of })} onSecret={setSecret} />
      <Incoming onEdit={(of) => setEditing({ kind: 'in', of })} onSecret={setSecret} />
      {editing?.kind === 'out' && <OutgoingDialog webhook={editing.of} onClose={close} />}
      {editing?.kind === 'in' && <IncomingDialog webhook={editing.of} onClose={close} />}
      {secret && <SecretDialog shown={secret} onClose={() => setSecret(null)} />}
    </Page>
  );
}

interface ListProps<Webhook> {
  onEdit(webhook: Webhook | null): void;
  onSecret(secret: ShownSecret): void;
}

const LIST = 'divide-y divide-line rounded-lg border border-line bg-surface';

function Outgoing({ onEdit, onSecret }: ListProps<OutgoingWebhook>) {
  const text = useText();
  const webhooks = useOutgoing();
  return (
    <Section
      title={text('webhooks.out')}
      hint={text('webhooks.outHint')}
      actions={<NewButton label={text('webhooks.newOut')} onClick={() => onEdit(null)} />}
    >
      <Loaded query={webhooks}>
        {({ webhooks: list }) =>
          list.length === 0 ? (
            <p className="text-fg-3">{text('webhooks.noneOut')}</p>
          ) : (
            <ul aria-label={text('webhooks.out')} className={LIST}>
              {list.map((webhook) => (
                <OutgoingRow key={webhook.id} webhook={webhook} onEdit={() => onEdit(webhook)} onSecret={onSecret} />
              ))}
            </ul>
          )
        }
      </Loaded>
    </Section>
  );
}

function Incoming({ onEdit, onSecret }: ListProps<IncomingWebhook>) {
  const text = useText();
  const webhooks = useIncoming();
  return (
    <Section
      title={text('webhooks.in')}
      hint={text('webhooks.inHint')}
      actions={<NewButton label={text('webhooks.newIn')} onClick={() => onEdit(null)} />}
    >
      <Loaded query={webhooks}>
        {({ webhooks: list }) =>
          list.length === 0 ? (
            <p className="text-fg-3">{text('webhooks.noneIn')}</p>
          ) : (
            <ul aria-label={text('webhooks.in')} className={LIST}>
              {list.map((webhook) => (
                <IncomingRow key={webhook.id} webhook={webhook} onEdit={() => onEdit(webhook)} onSecret={onSecret} />
              ))}
            </ul>
          )
        }
      </Loaded>
    </Section>
  );
}

function NewButton({ label, onClick }: { label: string; onClick(): void }) {
  return (
    <Button onClick={onClick}>
      <Plus size={14} />
      {label}
    </Button>
  );
}
