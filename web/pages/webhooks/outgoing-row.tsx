import { History, Send } from 'lucide-react';
import { useState } from 'react';
import type { OutgoingWebhook } from '../../../contract/webhooks.ts';
import { relativeTime, useNow } from '../../i18n/formats.ts';
import { useText } from '../../i18n/webhook-words.ts';
import { useAgentNames } from '../../live/use-agents.ts';
import { useLiveConnection } from '../../live/use-live.ts';
import { IconButton } from '../../ui/button.tsx';
import { notify } from '../../ui/toast.tsx';
import { DeliveryList } from './delivery-list.tsx';
import { EVENT_WORDS } from './event-words.ts';
import { RowVerbs, StateBadge } from './row-parts.tsx';
import type { ShownSecret } from './secret-dialog.tsx';
import { useWebhookVerb } from './use-webhooks.ts';

interface Props {
  webhook: OutgoingWebhook;
  onEdit(): void;
  onSecret(secret: ShownSecret): void;
}

export function OutgoingRow({ webhook, onEdit, onSecret }: Props) {
  const text = useText();
  const { client } = useLiveConnection();
  const attempt = useWebhookVerb();
  const [isOpen, setOpen] = useState(false);
  const { id, name, url, state, disabledBecause } = webhook;
  const params = { outgoingId: id };
  const renew = async () => {
    const renewed = await attempt(() => client.call('renewOutgoingSecret', params));
    if (renewed) onSecret({ name, secret: renewed.secret, address: null, isRenewed: true });
  };
  return (
    <li className="px-3 py-2.5">
      <div className="flex flex-wrap items-start gap-x-3 gap-y-1">
        <div className="min-w-0 flex-1 basis-56">
          <h3 className="font-medium" dir="auto">
            {name}
          </h3>
          <p className="truncate text-xs text-fg-2">{url}</p>
          <p className="text-xs text-fg-3">
            <About webhook={webhook} /> <StateBadge state={state} because={disabledBecause} />
          </p>
        </div>
        <span className="flex flex-none flex-wrap gap-0.5">
          <TestButton webhook={webhook} />
          <IconButton
            label={text('webhooks.deliveriesOf', { name })}
            aria-expanded={isOpen}
            onClick={() => setOpen(!isOpen)}
          >
            <History size={15} />
          </IconButton>
          <RowVerbs
            name={name}
            state={state}
            consequence={text('webhooks.deleteOutgoing')}
            onPause={() => void attempt(() => client.call('pauseOutgoingWebhook', params))}
            onResume={() => void attempt(() => client.call('resumeOutgoingWebhook', params))}
            onRenew={() => void renew()}
            onEdit={onEdit}
            onDelete={() => void attempt(() => client.call('deleteOutgoingWebhook', params))}
          />
        </span>
      </div>
      {isOpen && <DeliveryList webhook={webhook} />}
    </li>
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
