import { Send } from 'lucide-react';
import type { OutgoingWebhook } from '../../../contract/webhooks.ts';
import { relativeTime, useNow } from '../../i18n/formats.ts';
import { useText } from '../../i18n/webhook-words.ts';
import { useAgentNames } from '../../live/use-agents.ts';
import { useLiveConnection } from '../../live/use-live.ts';
import { IconButton } from '../../ui/button.tsx';
import { notify } from '../../ui/toast.tsx';
import { DeliveryList } from './delivery-list.tsx';
import { EVENT_WORDS } from './event-words.ts';
import type { ShownSecret } from './secret-dialog.tsx';
import { useWebhookVerb } from './use-webhooks.ts';
import { WebhookRow } from './webhook-row.tsx';

interface Props {
  webhook: OutgoingWebhook;
  onEdit(): void;
  onSecret(secret: ShownSecret): void;
}

export function OutgoingRow({ webhook, onEdit, onSecret }: Props) {
  const text = useText();
  const { client } = useLiveConnection();
  const { id, name, url } = webhook;
  const params = { outgoingId: id };
  return (
    <WebhookRow
      webhook={webhook}
      address={url}
      about={<About webhook={webhook} />}
      ownVerb={<TestButton webhook={webhook} />}
      historyLabel={text('webhooks.deliveriesOf', { name })}
      history={<DeliveryList webhook={webhook} />}
      verbs={{
        pause: () => client.call('pauseOutgoingWebhook', params),
        resume: () => client.call('resumeOutgoingWebhook', params),
        delete: () => client.call('deleteOutgoingWebhook', params),
        renew: () => client.call('renewOutgoingSecret', params),
      }}
      consequence={text('webhooks.deleteOutgoing')}
      onEdit={onEdit}
      onRenewed={(secret) => onSecret({ name, secret, address: null, isRenewed: true })}
    />
  );
}

function About({ webhook: { events, agents, pending, failingSince } }: { webhook: OutgoingWebhook }) {
  const text = useText();
  const now = useNow();
  const nameOf = useAgentNames();
  const facts = [
    ...events.map((event) => text(EVENT_WORDS[event])),
    ...agents.map((agentId) => nameOf(agentId)),
    ...(pending > 0 ? [text('webhooks.pending', { count: pending })] : []),
  ];
  return (
    <>
      {facts.join(' · ')}
      {failingSince && (
        <span className="text-danger">
          {' '}
          · {text('webhooks.failingSince', { when: relativeTime(failingSince, now) })}
        </span>
      )}
    </>
  );
}

function TestButton({ webhook: { id, name } }: { webhook: OutgoingWebhook }) {
  const text = useText();
  const { client } = useLiveConnection();
  const attempt = useWebhookVerb();
  const send = async () => {
    const sent = await attempt(() => client.call('testOutgoingWebhook', { outgoingId: id }));
    if (!sent) return;
    const isTaken = sent.state === 'delivered';
    const status = sent.status ?? '';
    const failed = text('webhooks.testFailed', { reason: sent.error ?? '' });
    notify({ title: isTaken ? text('webhooks.testTaken', { status }) : failed });
  };
  return (
    <IconButton label={text('webhooks.test', { name })} onClick={() => void send()}>
      <Send size={14} />
    </IconButton>
  );
}
