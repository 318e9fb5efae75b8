import type { UseQueryResult } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { type ReactNode, useState } from 'react';
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

function Outgoing({ onEdit, onSecret }: ListProps<OutgoingWebhook>) {
  return (
    <Webhooks direction="out" query={useOutgoing()} onNew={() => onEdit(null)}>
      {(webhook) => (
        <OutgoingRow key={webhook.id} webhook={webhook} onEdit={() => onEdit(webhook)} onSecret={onSecret} />
      )}
    </Webhooks>
  );
}

function Incoming({ onEdit, onSecret }: ListProps<IncomingWebhook>) {
  return (
    <Webhooks direction="in" query={useIncoming()} onNew={() => onEdit(null)}>
      {(webhook) => (
        <IncomingRow key={webhook.id} webhook={webhook} onEdit={() => onEdit(webhook)} onSecret={onSecret} />
      )}
    </Webhooks>
  );
}

const WORDS = {
  out: { title: 'webhooks.out', hint: 'webhooks.outHint', create: 'webhooks.newOut', none: 'webhooks.noneOut' },
  in: { title: 'webhooks.in', hint: 'webhooks.inHint', create: 'webhooks.newIn', none: 'webhooks.noneIn' },
} as const;

interface WebhooksProps<Webhook> {
  direction: keyof typeof WORDS;
  query: UseQueryResult<{ webhooks: Webhook[] }>;
  onNew(): void;
  children(webhook: Webhook): ReactNode;
}

/** The webhooks of one direction. */
function Webhooks<Webhook>({ direction, query, onNew, children }: WebhooksProps<Webhook>) {
  const text = useText();
  const { title, hint, create, none } = WORDS[direction];
  return (
    <Section
      title={text(title)}
      hint={text(hint)}
      actions={
        <Button onClick={onNew}>
          <Plus size={14} />
          {text(create)}
        </Button>
      }
    >
      <Loaded query={query}>
        {({ webhooks }) =>
          webhooks.length === 0 ? (
            <p className="text-fg-3">{text(none)}</p>
          ) : (
            <ul aria-label={text(title)} className="divide-y divide-line rounded-lg border border-line bg-surface">
              {webhooks.map(children)}
            </ul>
          )
        }
      </Loaded>
    </Section>
  );
}
